import type { EventBody, Receipt } from "@holdfast/protocol";
import { spliceWords } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { asked, at, done, gave, journal, RUN, started, tool } from "../../gallery/fixtures.ts";
import { emptyLine, lengthened } from "./knots.ts";

const knotsOf = (events: Parameters<typeof lengthened>[1]) => lengthened(emptyLine, events).knots;

const resumed = (rung: "adopted" | "native" | "live", ms: number): EventBody => ({
  kind: "session.resumed",
  rung,
  ms,
  grade: null,
  epoch: 2,
  bootId: "boot_2",
});
const approvalRequested: EventBody = {
  kind: "approval.requested",
  runId: RUN,
  attempt: 1,
  approvalId: "appr_1",
  toolCallId: "t",
  toolName: "other",
  input: { n: 1 },
  digest: "d",
  askedBy: null,
};
const receipt: Receipt = {
  receiptId: "rcpt_1",
  runId: RUN,
  rung: "native",
  ms: 310,
  seq: 5,
  ts: at(5),
  kept: ["all"],
  lost: [],
  maybeTwice: [],
  evidence: { grade: "verified" },
};

describe("the knots of the line", () => {
  test("are only the events that people look for, in order", () => {
    const events = journal(
      [9, asked("Go")],
      [8, started()],
      [7, tool("t", "Read", { path: "a.ts" })],
      [6, gave("t", "x")],
      [5, resumed("adopted", 40)],
      [4, resumed("live", 1)],
      [4, { kind: "workspace.lost", what: "emptied" }],
      [3, done],
    );
    expect(knotsOf(events).map(({ shape, words }) => [shape, words])).toEqual([
      ["prompt", "Go"],
      ["tool", "Read a.ts"],
      ["splice", "Host restarted. Nothing was lost."],
      ["cut", "the agent's folder was empty, although it had contained files"],
      ["end", "done"],
    ]);
  });

  test("are the same when events arrive one by one", () => {
    const events = journal(
      [9, asked("Go")],
      [8, started()],
      [7, { kind: "holder.launched", holderId: "hold_1", epoch: 1 }],
      [6, tool("t", "Publish it", { n: 1 })],
      [5, approvalRequested],
      [4, { kind: "holder.exited", holderId: "hold_1", reason: "process_exit" }],
      [3, { kind: "run.interrupted", runId: RUN, reason: "process_exit", bootId: "boot_1" }],
    );
    const line = events.reduce((before, event) => lengthened(before, [event]), emptyLine);
    expect(line.knots).toEqual(knotsOf(events));
    expect(line.knots.slice(-2).map(({ words }) => words)).toEqual([
      "asked: Publish it n: 1",
      expect.stringContaining("the agent's parent process stopped, and the agent with it"),
    ]);
  });

  test("skip kinds that they do not know", () => {
    const future = { kind: "moon.landed" } as unknown as EventBody;
    expect(knotsOf(journal([1, future]))).toEqual([]);
  });
});

test("a splice shows how the agent came back, its memory, and the loss of its folder", () => {
  const native =
    "Agent restarted from its own saved session in 310 ms. Memory of finished work verified.";
  expect(spliceWords(receipt)).toBe(native);
  const withFolder = (workspace: string) =>
    spliceWords({ ...receipt, evidence: { ...receipt.evidence, workspace } });
  expect(withFolder("gone")).toBe(`The session's folder was lost. ${native}`);
  expect(withFolder("emptied")).toBe(`The session's folder was empty. ${native}`);
});
