import type { EventBody } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { asked, diff, done, gave, journal, RUN, started, tool } from "../gallery/fixtures.ts";
import { awayWords, knotsOf } from "./knots.ts";
import { splicesOf, spliceWords } from "./splices.ts";

const resumed = (rung: "adopted" | "native" | "live", ms: number): EventBody => ({
  ...{ kind: "session.resumed", rung, ms, grade: null, epoch: 2, bootId: "boot_2" },
});
const receipt: EventBody = {
  ...{ kind: "receipt.issued", receiptId: "rcpt_1", runId: RUN, rung: "native" },
  ...{ kept: ["all"], lost: [], maybeTwice: [], evidence: { grade: "verified" } },
};

describe("the knots of the line", () => {
  test("are what people look for, in order, and nothing else", () => {
    const events = journal(
      [9, asked("Go")],
      [8, started()],
      [7, tool("t", "Read", { path: "a.ts" })],
      [6, gave("t", "x")],
      [5, resumed("adopted", 40)],
      [4, resumed("live", 1)],
      [3, done],
    );
    expect(knotsOf(events).map(({ shape, words }) => [shape, words])).toEqual([
      ["prompt", "Go"],
      ["tool", "Read a.ts"],
      ["splice", "adopted, 40 ms"],
      ["end", "done"],
    ]);
  });

  test("skip kinds that they do not know", () => {
    const future = { kind: "moon.landed" } as unknown as EventBody;
    expect(knotsOf(journal([1, future]))).toEqual([]);
  });
});

describe("a splice", () => {
  test("takes its time from the resume and its receipt from behind it", () => {
    const [splice, ...others] = splicesOf(journal([2, resumed("native", 310)], [1, receipt]));
    expect(others).toEqual([]);
    expect(splice).toMatchObject({ rung: "native", ms: 310, receipt: { kept: ["all"] } });
  });

  test("says the rung, what came back of its memory, and how long it took", () => {
    expect(spliceWords({ rung: "native", grade: "verified", ms: 310 })).toBe(
      "resumed by the agent itself, its memory checked, 310 ms",
    );
    expect(spliceWords({ rung: "adopted", grade: null, ms: null })).toBe("adopted");
  });
});

test("an absence is told in one line, the most telling first", () => {
  const events = journal(
    [9, tool("t", "Edit", {})],
    [8, diff("t", "a.ts")],
    [7, diff("t", "b.ts")],
    [6, gave("t", "")],
    [5, resumed("adopted", 40)],
    [4, done],
  );
  expect(awayWords(events)).toBe(
    "it came back in 40 ms, 1 tool call, 2 files changed and a run was done",
  );
  expect(awayWords([])).toBe("the agent went on");
});
