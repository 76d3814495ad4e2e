import { expect, test } from "vitest";
import { packFolded, unpackFolded } from "./folded.ts";
import { emptyState } from "./session.ts";
import { journal, running, text } from "./testing/states.ts";
import { emptyTranscript, transcriptOf } from "./transcript/transcript.ts";

test("a folded state comes back as it was, with what it did not know yet filled in", () => {
  const { recovery: _later, ...older } = { ...emptyState, seq: 7 };
  expect(unpackFolded(packFolded(older), emptyState)).toEqual({ ...emptyState, seq: 7 });
});

test("a state folded by an older version is migrated", () => {
  const old = {
    seq: 3,
    messages: [],
    receipts: [],
    agentSessionId: "a",
    runs: [
      { id: "run_1", agentSessionId: "a" },
      { id: "run_2", agentSessionId: null },
    ],
  };
  const told = unpackFolded(JSON.stringify({ foldVersion: 1, folded: old }), emptyTranscript);
  expect(told.runs).toEqual([
    { id: "run_1", taken: [{ by: "a", toldFrom: null }] },
    { id: "run_2", taken: [] },
  ]);
  const { lastMessageId: _later, ...runtime } = emptyState.runtime;
  const state = JSON.stringify({ foldVersion: 1, folded: { ...emptyState, runtime } });
  expect(unpackFolded(state, emptyState).runtime).toEqual(emptyState.runtime);
});

test("parts of an older version get the place of their message", () => {
  const message = (contentParts: object[], status: string) => {
    return { id: "msg_1", role: "assistant", seq: 4, status, contentParts };
  };
  const call = { type: "tool", toolCallId: "t1" };
  const words = { type: "text", text: "a" };
  const folded = {
    messages: [message([words, call], "completed"), message([], "running")],
    receipts: [{ receiptId: "rcpt_1" }],
  };
  const told = unpackFolded(JSON.stringify({ foldVersion: 2, folded }), emptyTranscript);
  const times = { startedAt: null, endedAt: null };
  expect(told.messages).toMatchObject([
    {
      endSeq: 4,
      contentParts: [
        { seq: 4, ...words },
        { seq: 4, ...call, ...times },
      ],
    },
    { endSeq: null, contentParts: [] },
  ]);
  expect(told.receipts).toEqual([{ receiptId: "rcpt_1", ms: null }]);
  const state = JSON.stringify({ foldVersion: 2, folded: { run: { id: "run_1" } } });
  expect(unpackFolded(state, emptyState).run).toEqual({ id: "run_1", happening: null });
});

test("approvals and runtimes of an older version are migrated", () => {
  const { cutOffRun: _later, ...runtime } = emptyState.runtime;
  const approvals = [
    { id: "a", input: { title: "Write" } },
    { id: "b", input: { command: "ls" } },
  ];
  const old = { runtime, run: { id: "run_1", approvals } };
  const state = unpackFolded(JSON.stringify({ foldVersion: 3, folded: old }), emptyState);
  expect(state.runtime).toEqual(emptyState.runtime);
  expect(state.run?.approvals).toMatchObject([
    { exact: false, workspace: null, askedAgain: null },
    { exact: true, workspace: null, askedAgain: null },
  ]);
});

test("an interrupted message of an older version keeps its reason", () => {
  const told = transcriptOf(
    journal(
      { kind: "holder.launched", holderId: "hold_1", epoch: 1 },
      ...running,
      { kind: "holder.exited", holderId: "hold_1", reason: "process_exit" },
      { kind: "run.interrupted", runId: "run_1", reason: "process_exit", bootId: "boot_1" },
    ),
  );
  const [, answer] = told.messages;
  expect(answer?.interruption).toEqual({ reason: "process_exit", agentEnd: "holder_gone" });
  const messages = told.messages.map(({ interruption: _later, ...message }) => message);
  const old = JSON.stringify({ foldVersion: 8, folded: { ...told, messages } });
  expect(unpackFolded(old, emptyTranscript)).toEqual(told);
});

test("text parts of an older version can be extended", () => {
  const events = journal(...running, text("Ha"), text("lf"));
  const { messages, ...rest } = transcriptOf(events.slice(0, -1));
  const [asked, answer] = messages.map(({ endSeq: _end, ...message }) => message);
  const old = {
    ...rest,
    messages: [asked, { ...answer, contentParts: [{ type: "text", text: "Ha" }] }],
  };
  const base = unpackFolded(JSON.stringify({ foldVersion: 2, folded: old }), emptyTranscript);
  expect(transcriptOf(events.slice(-1), base).messages[1]?.contentParts).toEqual([
    { type: "text", seq: 3, text: "Half" },
  ]);
});

test("a state folded by a newer version is refused, not misread", () => {
  const newer = JSON.stringify({ foldVersion: 99, folded: emptyState });
  expect(() => unpackFolded(newer, emptyState)).toThrow(/newer Holdfast/);
});
