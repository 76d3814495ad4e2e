import type { EventBody } from "@holdfast/protocol";
import { expect, test } from "vitest";
import * as f from "../../gallery/fixtures.ts";
import { awayBand, awayWords } from "./away.ts";

const resumed: EventBody = {
  kind: "session.resumed",
  rung: "adopted",
  ms: 40,
  grade: null,
  epoch: 2,
  bootId: "boot_2",
};

test("the events of an absence are summed up in one line, the most important first", () => {
  const events = f.journal(
    [9, f.tool("t", "Edit", {})],
    [8, f.diff("t", "a.ts")],
    [7, f.diff("t", "b.ts")],
    [6, f.gave("t", "")],
    [5, resumed],
    [4, f.done],
  );
  expect(awayWords(events)).toBe(
    "the session recovered in 40 ms, 1 tool call, 2 files changed and a run finished",
  );
  expect(awayWords([])).toBe("the agent kept working");
});

test("the band begins with the first event that tells a person something", () => {
  const events = f.journal([9, f.asked("Go")], [8, resumed], [7, f.used(1, 2)], [6, f.said("a")]);
  expect(awayBand(events.slice(1))).toMatchObject({ seq: 4, since: f.at(6) });
});

test("there is no band before its events are loaded, or when an idle agent only paused or came back", () => {
  expect(awayBand(null)).toBeNull();
  const idle: EventBody = { kind: "session.paused", reason: "idle" };
  expect(awayBand(f.journal([9, idle], [8, resumed]))).toBeNull();
});
