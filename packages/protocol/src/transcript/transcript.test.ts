import { describe, expect, it } from "vitest";
import type { Event, EventBody, Json } from "../events.ts";
import { attempt, created, journal, running, started, text, ts, user } from "../testing/states.ts";
import { emptyTranscript, transcriptOf } from "./transcript.ts";

const answerTo = (...more: EventBody[]) =>
  transcriptOf(journal(...running, ...more)).messages.at(-1);

const tool = (toolCallId: string): EventBody => ({
  kind: "tool.started",
  runId: "run_1",
  attempt: 1,
  toolCallId,
  name: "Bash",
  input: { command: "ls" },
  gated: false,
});
const result = (toolCallId: string, output: string): EventBody => ({
  kind: "tool.finished",
  runId: "run_1",
  attempt: 1,
  toolCallId,
  status: "completed",
  output,
});

function frozen<T>(value: T): T {
  for (const inner of Object.values(value as object)) {
    if (typeof inner === "object" && inner !== null) frozen(inner);
  }
  return Object.freeze(value);
}

/** A question about the call `t1`. */
const asked: EventBody = {
  kind: "approval.requested",
  runId: "run_1",
  attempt: 1,
  approvalId: "appr_1",
  toolCallId: "t1",
  toolName: "Bash",
  input: {},
  digest: "d",
  askedBy: null,
};

describe("the transcript", () => {
  it("is the same in any pieces, and earlier folds are never changed", () => {
    const events = journal(
      ...[...running, text("a"), tool("t1"), text("b"), result("t1", "x"), text("c")],
      { kind: "agent.spoke", text: "psst" },
      { kind: "agent.spoke", part: { type: "notice" } },
      { kind: "run.completed", runId: "run_1", stopReason: "end_turn" },
    );
    const whole = transcriptOf(events);
    for (let at = 0; at <= events.length; at++) {
      const first = frozen(transcriptOf(events.slice(0, at)));
      expect(transcriptOf(events.slice(at), first)).toEqual(whole);
    }
  });

  it("keeps a run's figures and who answered its questions with its message, whatever runs later", () => {
    const answer = answerTo(
      ...[tool("t1"), asked],
      {
        kind: "approval.decided",
        runId: "run_1",
        approvalId: "appr_1",
        decision: "deny",
        by: "phone",
        reason: "not on a Friday",
      },
      { kind: "usage.reported", runId: "run_1", attempt: 1, inputTokens: 200, outputTokens: 20 },
      { kind: "run.completed", runId: "run_1", stopReason: "end_turn" },
    );
    expect(answer).toMatchObject({
      inputTokens: 200,
      outputTokens: 20,
      endedAt: expect.any(String),
      contentParts: [{ approval: { decision: "deny", by: "phone", reason: "not on a Friday" } }],
    });
  });

  it("keeps the position of a recovery in a text, which goes on as one part", () => {
    const receipt: EventBody = {
      kind: "receipt.issued",
      receiptId: "rcpt_1",
      runId: "run_1",
      rung: "adopted",
      kept: [],
      lost: [],
      maybeTwice: [],
      evidence: {},
    };
    const answer = answerTo(text("before "), receipt, text("and after"), tool("t1"), receipt);
    expect(answer?.contentParts).toMatchObject([
      { type: "text", text: "before and after", cuts: [{ seq: 6, at: 7 }] },
      { type: "tool" },
    ]);
  });

  it("shows recovered parts as marked parts, and unknown ones unchanged", () => {
    const found = (part: Record<string, Json>): EventBody => ({
      kind: "part.added",
      runId: "run_1",
      attempt: 1,
      part,
      recovered: true,
    });
    const call = { toolCallId: "t1", name: "Bash", input: {}, output: "", status: "unknown" };
    const answer = answerTo(
      ...[text("a"), found({ type: "text", text: "b" }), found({ type: "text", text: "c" })],
      ...[found({ type: "tool", ...call }), found({ type: "tool", toolCallId: "t2" }), text("d")],
    );
    expect(answer?.contentParts).toEqual([
      { type: "text", seq: 5, attempt: 1, text: "a" },
      { type: "text", seq: 6, attempt: 1, text: "bc", recovered: true },
      { type: "tool", seq: 8, startedAt: null, endedAt: null, ...call, recovered: true },
      { type: "other", seq: 9, part: { type: "tool", toolCallId: "t2" }, recovered: true },
      { type: "text", seq: 10, attempt: 1, text: "d" },
    ]);
  });

  it("keeps which agent session took each prompt, and from which message on the prompt repeated the history", () => {
    const ready = (agentSessionId: string, contextFrom?: number): EventBody => ({
      kind: "agent.ready",
      agentSessionId,
      holderId: null,
      epoch: 1,
      ...(contextFrom === undefined ? {} : { contextFrom }),
    });
    const taken = (n: number): EventBody => ({
      kind: "attempt.accepted",
      runId: "run_1",
      attempt: n,
      holderId: null,
    });
    const { runs, contextFrom } = transcriptOf(
      journal(...running, ready("a"), taken(1), attempt(2), ready("b", 2), taken(2), ready("b", 7)),
    );
    expect(runs[0]?.taken).toEqual([
      { by: "a", toldFrom: null },
      { by: "b", toldFrom: 2 },
    ]);
    expect(contextFrom).toBe(7);
  });

  it("of a flood of parts costs no more than its parts [P29]", () => {
    const thinking: EventBody = {
      kind: "thinking.appended",
      runId: "run_1",
      attempt: 1,
      text: "?",
    };
    const flood = Array.from({ length: 200_000 }, (_, n) => (n % 2 === 0 ? text("!") : thinking));
    const head = journal(...running);
    const rest = flood.map((body, n) => ({ ...body, seq: head.length + 1 + n, ts: ts(n) }));
    const { messages } = transcriptOf(rest, transcriptOf(head));
    expect(messages.at(-1)?.contentParts).toHaveLength(200_000);
  });

  it("has a call as last reported, with its output up to the cut", () => {
    const { messages } = transcriptOf(
      journal(
        ...running,
        tool("t1"),
        {
          kind: "tool.updated",
          runId: "run_1",
          attempt: 1,
          toolCallId: "t1",
          output: "a",
          name: "ls -a",
          input: { command: "ls -a" },
        },
        {
          kind: "tool.finished",
          runId: "run_1",
          attempt: 1,
          toolCallId: "t1",
          status: "unknown",
          output: "Nobody knows.",
          synthetic: true,
        },
      ),
    );
    expect(messages.at(-1)?.contentParts).toMatchObject([
      { name: "ls -a", input: { command: "ls -a" }, status: "unknown", output: "a\nNobody knows." },
    ]);
  });

  it("is a question and an answer with parts, in the order they came [R003-68]", () => {
    const { messages } = transcriptOf(
      journal(
        ...running,
        { kind: "thinking.appended", runId: "run_1", attempt: 1, text: "Hm" },
        text("Hel"),
        text("lo"),
        tool("t1"),
        { kind: "tool.updated", runId: "run_1", attempt: 1, toolCallId: "t1", output: "a" },
        result("t1", "a b"),
        text("Bye"),
        { kind: "run.completed", runId: "run_1", stopReason: "end_turn" },
      ),
    );
    expect(messages).toMatchObject([
      { id: "msg_1", role: "user", runId: "run_1", contentParts: [{ text: "Do it" }] },
      {
        role: "assistant",
        runId: "run_1",
        status: "completed",
        errorMessage: null,
        contentParts: [
          { type: "thinking", text: "Hm" },
          { type: "text", text: "Hello" },
          { type: "tool", toolCallId: "t1", status: "completed", output: "a b" },
          { type: "text", text: "Bye" },
        ],
      },
    ]);
  });

  it("has the seq where each part began and each message ended", () => {
    const { messages } = transcriptOf(
      journal(
        ...[...running, text("a"), text("b"), tool("t1"), text("c"), result("t1", "x")],
        { kind: "run.completed", runId: "run_1", stopReason: "end_turn" },
        { kind: "agent.spoke", text: "one" },
        { kind: "agent.spoke", text: "two" },
      ),
    );
    expect(messages.map(({ seq, endSeq }) => [seq, endSeq])).toEqual([
      [2, 2],
      [3, 10],
      [11, 12],
    ]);
    expect(messages.map(({ contentParts }) => contentParts.map(({ seq }) => seq))).toEqual([
      [2],
      [5, 7, 8],
      [11],
    ]);
    expect(messages[1]?.contentParts[1]).toMatchObject({ startedAt: ts(6), endedAt: ts(8) });
    expect(answerTo(tool("t1"))).toMatchObject({
      endSeq: null,
      contentParts: [{ startedAt: ts(4), endedAt: null }],
    });
  });

  it("adds late output of a run that was cut off to its answer, and ends its calls", () => {
    const spoke = (part: Record<string, Json>): EventBody => ({ kind: "agent.spoke", part });
    const end = { type: "tool_finished", status: "failed" };
    const closed = (toolCallId: string, status: "unknown" | "not_started"): EventBody => ({
      kind: "tool.finished",
      runId: "run_1",
      attempt: 1,
      toolCallId,
      status,
      output: "Closed.",
      synthetic: true,
    });
    const { messages } = transcriptOf(
      journal(
        ...[...running, text("one"), tool("t1"), tool("t2"), text("two ")],
        ...[closed("t1", "unknown"), closed("t2", "not_started")],
        { kind: "run.cancelled", runId: "run_1", reason: "user" },
        { kind: "agent.spoke", text: "three" },
        spoke({ type: "thinking", text: "hm" }),
        spoke({ ...end, toolCallId: "t1", output: "late" }),
        spoke({ ...end, toolCallId: "t2", output: "denied" }),
      ),
    );
    expect(messages).toMatchObject([
      { role: "user" },
      {
        status: "cancelled",
        contentParts: [
          { type: "text", text: "one" },
          { type: "tool", status: "failed", output: "late" },
          { type: "tool", status: "not_started", output: "Closed.\ndenied" },
          { type: "text", text: "two three" },
          { type: "thinking", text: "hm" },
        ],
      },
    ]);
  });

  it("keeps output of an agent that was started after a cut apart from the answer before it", () => {
    const receipt: EventBody = {
      kind: "receipt.issued",
      receiptId: "rcpt_1",
      runId: "run_1",
      rung: "native",
      kept: [],
      lost: [],
      maybeTwice: [],
      evidence: {},
    };
    const ready: EventBody = { kind: "agent.ready", agentSessionId: "a", holderId: "h", epoch: 1 };
    const after = (...since: EventBody[]) =>
      transcriptOf(
        journal(
          ...[ready, ...running, text("one")],
          { kind: "run.cancelled", runId: "run_1", reason: "user" },
          ...since,
          { kind: "agent.spoke", text: "hello" },
        ),
      ).messages.map(({ runId }) => runId);
    expect(after()).toEqual(["run_1", "run_1"]);
    // The receipt follows later.
    expect(after(ready)).toEqual(["run_1", "run_1", null]);

    // A base of an earlier version does not know the seq of `agent.ready`.
    const events = journal(
      ...[ready, ...running, text("one")],
      { kind: "run.cancelled", runId: "run_1", reason: "user" },
      ...[ready, receipt, { kind: "agent.spoke", text: "hello" } as const],
    );
    const { readySeq, ...base } = transcriptOf(events.slice(0, -1));
    expect(readySeq).toBe(8);
    expect(transcriptOf(events.slice(-1), base).messages).toHaveLength(3);
  });

  it("does not go on in a later launch with what an earlier one said", () => {
    const found = (attempt: number): EventBody => ({
      kind: "part.added",
      runId: "run_1",
      attempt,
      recovered: true,
      part: { type: "text", text: "found" },
    });
    const parts = answerTo(
      ...[text("Half a sen"), attempt(2), text("I go", 2), text(" on.", 2)],
      ...[found(2), found(2), attempt(3), found(3)],
    )?.contentParts;
    expect(parts).toMatchObject([
      { text: "Half a sen", seq: 5 },
      { text: "I go on.", seq: 7 },
      { text: "foundfound", recovered: true },
      { text: "found", recovered: true },
    ]);
  });

  it("goes on in one launch after an adoption", () => {
    const adopted: EventBody = { kind: "run.adopted", runId: "run_1", epoch: 2, bootId: "boot_2" };
    expect(answerTo(text("Ha"), adopted, text("lf"))?.contentParts).toMatchObject([
      { text: "Half" },
    ]);
  });

  it("keeps the duration of a recovery, if it was measured", () => {
    const issued = (ms?: number): EventBody => ({
      kind: "receipt.issued",
      receiptId: "rcpt_1",
      runId: null,
      rung: "adopted",
      kept: [],
      lost: [],
      maybeTwice: [],
      evidence: {},
      ...(ms === undefined ? {} : { ms }),
    });
    const { receipts } = transcriptOf(journal(created, issued(40), issued()));
    expect(receipts.map(({ ms }) => ms)).toEqual([40, null]);
  });

  it("keeps partial text with the error that ended it [R003-5] [R003-15] [R003-68]", () => {
    const error = { code: "overloaded", message: "Too busy." };
    expect(answerTo(text("Half"), { kind: "run.failed", runId: "run_1", error })).toMatchObject({
      status: "error",
      errorMessage: "Too busy.",
      contentParts: [{ type: "text", text: "Half" }],
    });
  });

  it("keeps partial text of a cancelled run [R003-10] [R003-68]", () => {
    const cancelled: EventBody = { kind: "run.cancelled", runId: "run_1", reason: "user" };
    expect(answerTo(text("Half"), cancelled)).toMatchObject({
      status: "cancelled",
      contentParts: [{ type: "text", text: "Half" }],
    });
  });

  it("keeps partial text of an interrupted run", () => {
    const interrupted: EventBody = {
      kind: "run.interrupted",
      runId: "run_1",
      reason: "process_exit",
      bootId: "boot_1",
    };
    expect(answerTo(text("Half"), interrupted)).toMatchObject({
      status: "interrupted",
      contentParts: [{ type: "text", text: "Half" }],
    });
  });

  it("gives every tool call one result, and the first one stands", () => {
    const parts = answerTo(tool("t1"), result("t1", "first"), result("t1", "second"))?.contentParts;
    expect(parts).toMatchObject([{ type: "tool", output: "first" }]);
  });

  it("puts a failed attempt between what came before and after it", () => {
    const error = { code: "timeout", message: "Too slow.", transient: true };
    const failed: EventBody = { kind: "attempt.failed", runId: "run_1", attempt: 1, error };
    const parts = answerTo(text("Half"), failed, attempt(2), text("Whole", 2))?.contentParts;
    expect(parts).toMatchObject([
      { type: "text", text: "Half" },
      { type: "notice", code: "timeout" },
      { type: "text", text: "Whole" },
    ]);
  });

  it("shows the question and its decision on the tool call itself", () => {
    const decided: EventBody = {
      kind: "approval.decided",
      runId: "run_1",
      approvalId: "appr_1",
      decision: "deny",
      by: "user",
    };
    expect(answerTo(tool("t1"), asked)?.contentParts[0]).toMatchObject({
      approval: { id: "appr_1", decision: null },
    });
    expect(answerTo(tool("t1"), asked, decided)?.contentParts[0]).toMatchObject({
      approval: { id: "appr_1", decision: "deny" },
    });
  });

  it("marks messages after a rewind point, and keeps them all", () => {
    const rewound: EventBody = { kind: "session.rewound", toSeq: 4, checkpointId: "ckpt_1" };
    const { messages } = transcriptOf(
      journal(...running, user("msg_2"), started("run_2", "msg_2"), rewound, user("msg_3")),
    );
    expect(messages.map((message) => message.rewound)).toEqual([false, false, true, true, false]);
  });

  it("answers a retried message a second time, under the same question", () => {
    const failed: EventBody = {
      kind: "run.failed",
      runId: "run_1",
      error: { code: "x", message: "y" },
    };
    const { messages } = transcriptOf(journal(...running, failed, started("run_2", "msg_1")));
    expect(messages.map(({ role, runId }) => [role, runId])).toEqual([
      ["user", "run_1"],
      ["assistant", "run_1"],
      ["assistant", "run_2"],
    ]);
  });

  it.each(["moon.landed", "toString", "constructor", "__proto__"])(
    "skips a kind it does not know (%s)",
    (kind) => {
      const before = transcriptOf(journal(...running, text("x")));
      const after = transcriptOf([{ seq: 6, ts: ts(6), kind } as unknown as Event], before);
      expect(after).toEqual({ ...before, seq: 6 });
    },
  );

  it("is empty before the first message", () => {
    expect(transcriptOf([])).toEqual(emptyTranscript);
    expect(transcriptOf(journal(created)).messages).toEqual([]);
  });
});
