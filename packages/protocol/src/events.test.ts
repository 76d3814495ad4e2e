import { describe, expect, it } from "vitest";
import { decodeEvents, type EventBody, encodeStamped, eventBody } from "./events.ts";
import { created, running, started, text, user } from "./testing/states.ts";
import { interruptReasons, outcomeOf, statuses, waitKinds } from "./vocabulary.ts";

const kinds = eventBody.options.map((option) => option.shape.kind.value);
const fieldsOf = (kind: string) =>
  Object.keys(eventBody.options.find((option) => option.shape.kind.value === kind)?.shape ?? {});

describe("event kinds", () => {
  it.each([
    ["message.user", ["messageId", "content"]],
    ["run.started", ["runId", "messageId", "epoch", "bootId"]],
    ["run.waiting", ["runId", "waitKind", "resumeTokenId", "deadlineAt"]],
    ["run.resumed", ["runId", "waitId", "by"]],
    ["run.interrupted", ["runId", "reason"]],
    ["run.completed", ["runId"]],
    ["run.failed", ["runId", "error"]],
    ["run.cancelled", ["runId"]],
    ["status.derived", ["status"]],
    ["token.minted", ["tokenId", "runId", "waitKind", "hash", "expiresAt"]],
    ["token.consumed", ["tokenId", "runId"]],
    ["token.revoked", ["tokenId", "runId", "reason"]],
    ["token.expired", ["tokenId", "runId"]],
  ])("include %s with its fields [R002-18]", (kind, fields) => {
    expect(fieldsOf(kind)).toEqual(expect.arrayContaining(fields));
  });

  it("are named noun.verbed, each once", () => {
    expect(kinds.filter((kind) => !/^[a-z]+\.[a-z_]+$/.test(kind))).toEqual([]);
    expect(new Set(kinds).size).toBe(kinds.length);
  });

  it("know the reasons of an interruption, and no other [R002-19]", () => {
    expect(interruptReasons).toEqual(
      expect.arrayContaining(["process_exit", "process_restart", "wait_timeout"]),
    );
    const event = { kind: "run.interrupted", runId: "run_1", bootId: "boot_1" };
    for (const reason of interruptReasons) {
      expect(eventBody.safeParse({ ...event, reason }).success).toBe(true);
    }
    expect(eventBody.safeParse({ ...event, reason: "abandoned" }).success).toBe(false);
    expect(eventBody.safeParse({ ...event, reason: "unreachable" }).success).toBe(false);
  });

  it("know the wait kind tool_result [R002-65]", () => {
    expect(waitKinds).toContain("tool_result");
    const waiting = {
      kind: "run.waiting",
      runId: "run_1",
      waitId: "wait_1",
      waitKind: "tool_result",
      epoch: 1,
      resumeTokenId: "rt_1",
      deadlineAt: null,
      approvalId: null,
    };
    expect(eventBody.parse(waiting)).toEqual(waiting);
    expect(eventBody.safeParse({ ...waiting, waitKind: "coffee" }).success).toBe(false);
  });

  it("name the status words in order of precedence", () => {
    expect(statuses[0]).toBe("interrupted_startup");
    expect(statuses.at(-1)).toBe("idle");
  });

  it("say which outcome they are, also for names every object has", () => {
    const outcomes = kinds.filter((kind) => outcomeOf(kind) !== undefined);
    expect(outcomes).toEqual(["run.completed", "run.failed", "run.cancelled", "run.interrupted"]);
    expect(["toString", "constructor", "__proto__"].map(outcomeOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("an event on the wire", () => {
  it("is one line that begins with its seq, and comes back as it was", () => {
    const bodies: EventBody[] = [...running, text("a\nb\u2028c\u0000🎈\ud800")];
    const lines = bodies.map((body, i) =>
      encodeStamped({ seq: i + 1, ts: "2026-01-01T00:00:00.000Z", ...body }),
    );
    for (const [i, line] of lines.entries()) {
      expect(line).toMatch(/^\{"seq":\d+,"ts":"[^"]+","kind":"/);
      expect(line.indexOf("\n")).toBe(line.length - 1);
      expect(JSON.parse(line).seq).toBe(i + 1);
    }
    const decoded = decodeEvents(new TextEncoder().encode(lines.join("")));
    expect(decoded.map(({ seq, ts, ...body }) => body)).toEqual(bodies);
  });

  it("is kept even when its kind is not known yet", () => {
    const future = '{"seq":1,"ts":"2027-01-01T00:00:00.000Z","kind":"moon.landed","v":2}\n';
    expect(decodeEvents(new TextEncoder().encode(future))).toMatchObject([{ kind: "moon.landed" }]);
  });

  it("is read only when its line is whole", () => {
    const line = encodeStamped({ seq: 1, ts: "2026-01-01T00:00:00.000Z", ...created });
    expect(decodeEvents(new TextEncoder().encode(line + line.slice(0, 20)))).toHaveLength(1);
  });

  it("says what a message and a run are in fields of their own", () => {
    expect(user()).toMatchObject({ messageId: "msg_1", content: "Do it" });
    expect(eventBody.parse(started())).toEqual(started());
  });
});
