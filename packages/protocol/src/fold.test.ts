import { describe, expect, it } from "vitest";
import type { Event, EventBody } from "./events.ts";
import { eventBody } from "./events.ts";
import { fold, foldAll } from "./fold.ts";
import { emptyState, stateLimits } from "./session.ts";
import { wordOf } from "./status.ts";
import { attempt, created, journal, running, started, text, ts, user } from "./testing/states.ts";

describe("fold", () => {
  it("knows how the latest launch was given its prompt", () => {
    expect(foldAll(journal(...running)).run?.attempt.way).toBe("prompt");
    expect(foldAll(journal(...running, attempt(2))).run?.attempt.way).toBe("continue");
  });

  it.each(["moon.landed", "toString", "constructor", "__proto__", "hasOwnProperty", "valueOf"])(
    "skips a kind it does not know (%s) and moves on",
    (kind) => {
      const before = foldAll(journal(...running));
      const unknown = { seq: 5, ts: ts(9), kind, runId: "run_1", outcome: "completed" };
      const after = fold(before, unknown as unknown as Event);
      expect(after).toEqual({ ...before, seq: 5, updatedAt: ts(9) });
    },
  );

  it("adds up the tokens that a run reports", () => {
    const used = (inputTokens: number, outputTokens: number): EventBody => ({
      kind: "usage.reported",
      runId: "run_1",
      attempt: 1,
      inputTokens,
      outputTokens,
    });
    const { run } = foldAll(journal(...running, used(10, 3), used(5, 1)));
    expect(run).toMatchObject({ inputTokens: 15, outputTokens: 4 });
  });

  it("ignores events of a run that is not the latest", () => {
    const late: EventBody[] = [
      { kind: "run.completed", runId: "run_0", stopReason: "end" },
      { kind: "run.cancel_requested", runId: "run_0", by: "user" },
      { kind: "token.consumed", runId: "run_0", tokenId: "rt_1" },
      text("ghost", 1, "run_0"),
    ];
    const before = foldAll(journal(...running));
    const after = foldAll(journal(...running, ...late));
    expect(after.run).toEqual(before.run);
  });

  it("ignores events of an older launch [F18]", () => {
    const now = [...running, attempt(2)];
    const before = foldAll(journal(...now));
    const after = foldAll(
      journal(
        ...now,
        text("late", 1),
        { kind: "attempt.accepted", runId: "run_1", attempt: 1, holderId: null },
        { kind: "usage.reported", runId: "run_1", attempt: 1, inputTokens: 5, outputTokens: 5 },
        {
          kind: "tool.started",
          runId: "run_1",
          attempt: 1,
          toolCallId: "t",
          name: "Bash",
          input: {},
          gated: false,
        },
      ),
    );
    expect(after.run).toEqual(before.run);
  });

  it("begins a new part with a new launch, whatever was said before", () => {
    const { run } = foldAll(journal(...running, text("Half"), attempt(2)));
    expect(run?.saying).toBeNull();
  });

  it("folds every kind of event without throwing, on any state", () => {
    const full = foldAll(journal(...running, text("hello")));
    for (const option of eventBody.options) {
      const event = { seq: 9, ts: ts(9), ...example(option.shape) } as unknown as Event;
      expect(fold(full, event).seq, event.kind).toBe(9);
      expect(fold(emptyState, event).seq, event.kind).toBe(9);
    }
  });

  it("does not change the state it is given", () => {
    const before = foldAll(journal(...running));
    const copy = structuredClone(before);
    for (const option of eventBody.options) {
      fold(before, { seq: 9, ts: ts(9), ...example(option.shape) } as unknown as Event);
    }
    expect(before).toEqual(copy);
  });

  it("remembers only the latest client ids", () => {
    const sent = Array.from({ length: stateLimits.clients + 10 }, (_, i): EventBody => {
      return { kind: "message.user", messageId: `msg_${i}`, content: "x", clientId: `c${i}` };
    });
    const { clients } = foldAll(journal(created, ...sent));
    expect(clients).toHaveLength(stateLimits.clients);
    expect(clients.at(-1)).toMatchObject({ clientId: `c${stateLimits.clients + 9}` });
  });

  it("restores the status before a failed revive", () => {
    const sandbox: EventBody[] = [
      { kind: "sandbox.ready", sandboxId: "sbx_1", provider: "process" },
      { kind: "agent.ready", agentSessionId: "a", holderId: "hold_1", epoch: 1 },
      { kind: "sandbox.frozen", sandboxId: "sbx_1" },
    ];
    const failed: EventBody[] = [
      { kind: "session.reviving", mode: "revive", epoch: 1 },
      { kind: "session.revive_failed", error: { code: "timeout", message: "Too slow." } },
    ];
    const before = foldAll(journal(created, ...sandbox));
    const after = foldAll(journal(created, ...sandbox, ...failed));
    expect(after.runtime).toEqual(before.runtime);
    expect(after.recovery.reviveError).toMatchObject({ code: "timeout" });
  });

  it("forgets a failed start when an agent is ready, and when it is dismissed", () => {
    const error = { code: "launch_failed", message: "No login." };
    const completed: EventBody = { kind: "run.completed", runId: "run_1", stopReason: "end_turn" };
    const failed: EventBody = { kind: "session.revive_failed", error };
    const up: EventBody = {
      kind: "agent.ready",
      agentSessionId: "a",
      holderId: "hold_1",
      epoch: 1,
    };
    const dismissed: EventBody = { kind: "run.dismissed", runId: "run_1" };
    const wordAfter = (...events: EventBody[]) =>
      wordOf(foldAll(journal(...running, failed, ...events)), { epoch: 1 });
    expect(wordAfter(completed)).toBe("failed");
    expect(wordAfter(up, completed)).toBe("done");
    expect(wordAfter(completed, dismissed)).toBe("done");
    expect(wordAfter(completed, dismissed, failed)).toBe("failed");
  });

  it("does not let a runtime without a holder outlive its host", () => {
    const up: EventBody = { kind: "agent.ready", agentSessionId: "a", holderId: null, epoch: 1 };
    const adopted: EventBody = { kind: "run.adopted", runId: "run_1", epoch: 2, bootId: "boot_2" };
    expect(foldAll(journal(...running, up, adopted))).toMatchObject({
      runtime: { epoch: 1 },
      run: { epoch: 2 },
    });
    const held = { ...up, holderId: "hold_1" };
    expect(foldAll(journal(...running, held, adopted)).runtime.epoch).toBe(2);
  });

  it("counts the time of the end from the first one, also when the session is deleted later", () => {
    const { ended } = foldAll(
      journal(
        { kind: "session.ended", reason: "explicit" },
        { kind: "session.ended", reason: "deleted" },
      ),
    );
    expect(ended).toEqual({
      at: foldAll(journal({ kind: "session.ended", reason: "explicit" })).ended?.at,
      reason: "deleted",
    });
  });

  it("starts each run without leftovers of the last one", () => {
    const again = [user("msg_2"), started("run_2", "msg_2"), attempt(1, "run_2")];
    const cancel: EventBody = { kind: "run.cancel_requested", runId: "run_1", by: "user" };
    const ended: EventBody = { kind: "run.cancelled", runId: "run_1", reason: "user" };
    const { run } = foldAll(journal(...running, text("x"), cancel, ended, ...again));
    expect(run).toMatchObject({ id: "run_2", cancel: null, outcome: null, attempt: { n: 1 } });
  });
});

/** A value of the right shape for each field, by its name; the folds do not check further. */
function example(shape: Record<string, { safeParse(value: unknown): { success: boolean } }>) {
  const tries: unknown[] = [
    "run_1",
    1,
    true,
    {},
    [],
    null,
    "2026-01-01T00:00:00.000Z",
    { code: "x", message: "y" },
    { kind: "empty", path: null, branch: null },
    { sessionId: "sess_1", seq: 1 },
    { hash: "0".repeat(64), bytes: 1 },
    ...["human", "allow", "process_exit", "idle", "revive", "live", "session", "prompt"],
    ...["explicit", "completed", "transient", "continue"],
  ];
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => {
      const value =
        name === "kind"
          ? (type as unknown as { value: string }).value
          : tries.find((one) => type.safeParse(one).success);
      return [name, value];
    }),
  );
}
