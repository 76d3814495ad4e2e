import type { EventBody, Receipt } from "@holdfast/protocol";
import { spliceWords } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { asked, at, done, gave, journal, RUN, started, tool } from "../gallery/fixtures.ts";
import { knotsOf } from "./knots.ts";

const resumed = (rung: "adopted" | "native" | "live", ms: number): EventBody => ({
  kind: "session.resumed",
  rung,
  ms,
  grade: null,
  epoch: 2,
  bootId: "boot_2",
});
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
      ["splice", "adopted, 40 ms"],
      ["cut", "the folder it worked in was empty, and it had held files before"],
      ["end", "done"],
    ]);
  });

  test("skip kinds that they do not know", () => {
    const future = { kind: "moon.landed" } as unknown as EventBody;
    expect(knotsOf(journal([1, future]))).toEqual([]);
  });
});

test("a splice shows the rung, the grade of the memory, and the duration", () => {
  expect(spliceWords(receipt)).toBe("resumed by the agent itself, its memory checked, 310 ms");
  const adopted = { ...receipt, rung: "adopted", evidence: {} } as const;
  const withFolder = (workspace: string) =>
    spliceWords({ ...receipt, evidence: { ...receipt.evidence, workspace } });
  expect(withFolder("gone")).toMatch(/, 310 ms; its folder was lost$/);
  expect(withFolder("emptied")).toMatch(/, 310 ms; its folder was empty$/);
  expect(spliceWords({ ...adopted, ms: 40 })).toBe("adopted, 40 ms");
  expect(spliceWords({ ...adopted, ms: null })).toBe("adopted");
});
