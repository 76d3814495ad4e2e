import { describe, expect, it } from "vitest";
import type { EventBody, EventOf, Json } from "../events.ts";
import { foldAll } from "../fold.ts";
import { attempt, journal, running, text } from "../testing/states.ts";
import { sessionView } from "../views.ts";
import { HAPPENING, STOP_REASON } from "../vocabulary.ts";
import { otherPartWords } from "./other-part.ts";

const call = { runId: "run_1", attempt: 1, toolCallId: "t1" };
const tool = (name: string, input: Json): EventBody => ({
  kind: "tool.started",
  ...call,
  name,
  input,
  gated: false,
});
const lastOf = (...bodies: EventBody[]) =>
  sessionView(foldAll(journal(...running, ...bodies)), { epoch: 1 }).happening;
const said = (words: string) => ({ kind: "said", text: words });
const does = (words: string) => ({ kind: "does", text: words });

describe("the last that happened", () => {
  it("is a call with what it acts on, as soon as that is known", () => {
    const news = { kind: "tool.updated", ...call, output: "" } as const;
    const input = { path: "src/auth.ts" };
    expect(lastOf(tool("Edit", {}))).toEqual(does("Edit"));
    expect(lastOf(tool("Edit", {}), { ...news, input })).toEqual(does("Edit src/auth.ts"));
    const named = { ...news, name: "Edit src/auth.ts", input };
    expect(lastOf(tool("Edit", {}), named)).toEqual(does("Edit src/auth.ts"));
    expect(lastOf(tool("Edit", input), { ...news, output: "…" })).toEqual(does("Edit src/auth.ts"));
  });

  it("is a call that was denied or not started, said so", () => {
    const [approvalId, toolCallId] = ["appr_1", "t1"];
    const input = { command: "rm x" };
    const question = { approvalId, toolCallId, toolName: "execute", input, digest: "d" };
    const by = { runId: "run_1", approvalId, decision: "deny", by: "user" } as const;
    const asks: EventBody[] = [
      tool("Bash", input),
      { kind: "approval.requested", runId: "run_1", attempt: 1, ...question, askedBy: null },
    ];
    const end = (status: EventOf<"tool.finished">["status"]): EventBody => {
      return { kind: "tool.finished", ...call, status, output: "" };
    };
    const denied: EventBody = { kind: "approval.decided", ...by };
    const stopped: EventBody = { ...denied, reason: STOP_REASON };
    const allowed: EventBody = { ...denied, decision: "allow" };
    const line = "Run a command: rm x";
    expect(lastOf(...asks, denied, end("failed"))).toEqual(does(`denied: ${line}`));
    expect(lastOf(...asks, stopped, end("failed"))).toEqual(does(`not started: ${line}`));
    const gone: EventBody = { kind: "approval.withdrawn", runId: "run_1", approvalId, reason: "x" };
    expect(lastOf(...asks, gone, end("not_started"))).toEqual(does(`not started: ${line}`));
    expect(lastOf(...asks, allowed, end("completed"))).toEqual(does("Bash rm x"));
    expect(lastOf(...asks, denied, text("No."), end("not_started"))).toEqual(said("No."));
  });

  it("is how the last words began, in one line", () => {
    expect(lastOf(text("Now \n"), text("\n the"), text(" keys"))).toEqual(said("Now the keys"));
    expect(lastOf(text("a"), tool("Read", {}), text("b"))).toEqual(said("b"));
    expect(lastOf(text("a"), attempt(2), text("b", 2))).toEqual(said("b"));
    expect(lastOf(tool("Read", {}), text("\n"))).toEqual(does("Read"));
  });

  it("is small, however much is said or asked", () => {
    const long = lastOf(...Array.from({ length: 99 }, () => text("words ")));
    const huge = lastOf(tool("Run", { command: "\u{1F30A}".repeat(100_000) }));
    for (const { text: line } of [long, huge].map((one) => one ?? { text: "" })) {
      expect(line).toHaveLength(HAPPENING);
      expect(line.isWellFormed()).toBe(true);
      expect(line.endsWith("…")).toBe(true);
    }
  });

  it("is the beginning of a text too long for an event, and no other long part", () => {
    const long = (preview: string) => {
      const part = { type: "blob", preview, hash: "0", bytes: 300_000 };
      const added: EventBody = { kind: "part.added", runId: "run_1", attempt: 1, part };
      return foldAll(journal(...running, text("before"), added)).run?.happening;
    };
    const said = { type: "blob", preview: '{"type":"text","text":"Long' };
    expect(long(said.preview)).toEqual({ kind: "said", text: otherPartWords(said) });
    expect(long('{"type":"diff"')).toEqual({ kind: "said", text: "before" });
  });
});
