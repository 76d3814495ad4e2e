import { describe, expect, test } from "vitest";
import { grouped, needing, titleWith } from "./grouping.ts";
import { type Judged, stateWord } from "./state.ts";

const idle: Judged = {
  status: "idle",
  lifecycle: "active",
  damage: null,
  queued: 0,
  happening: null,
  runtime: { state: "live" },
};

describe("a session's state", () => {
  test.each([
    [{ damage: { reason: "torn", readableTo: 4 } }, "damaged", "Stopped"],
    [{ status: "waiting" }, "needs you", "Needs you"],
    [{ status: "interrupted_startup", lifecycle: "paused" }, "interrupted", "Stopped"],
    [{ status: "interrupted_waiting" }, "interrupted", "Stopped"],
    [{ status: "running" }, "working", "Working"],
    [{ status: "running", runtime: { state: "unreachable" } }, "unreachable", "Working"],
    [{ status: "running", lifecycle: "paused" }, "paused", "Paused"],
    [{ lifecycle: "paused" }, "paused", "Paused"],
    [{ lifecycle: "creating" }, "new", "Done"],
    [{}, "idle", "Done"],
    [{ happening: { kind: "said" } }, "idle", "Done"],
    [{ happening: { kind: "failed" } }, "failed", "Stopped"],
    [{ happening: { kind: "failed" }, lifecycle: "paused" }, "failed", "Stopped"],
    [{ happening: { kind: "failed" }, status: "running" }, "working", "Working"],
    [{ happening: { kind: "failed" }, lifecycle: "ended" }, "ended", "Done"],
    [{ queued: 2 }, "idle", "Stopped"],
    [{ queued: 2, lifecycle: "paused" }, "paused", "Stopped"],
    [{ queued: 2, status: "running" }, "working", "Working"],
    [{ lifecycle: "ended", status: "waiting" }, "ended", "Done"],
  ] as const)("%o is %s, in %s", (change, word, group) => {
    expect(stateWord({ ...idle, ...change })).toMatchObject({ word, group });
  });
});

describe("the list", () => {
  const listed = (title: string, lastActiveAt: string, change: Partial<Judged> = {}) => ({
    ...idle,
    ...{ title, lastActiveAt, ...change },
  });
  const sessions = [
    listed("old", "2026-01-01T00:00:00Z"),
    listed("asks", "2026-01-02T00:00:00Z", { status: "waiting" }),
    listed("broke", "2026-01-02T00:00:00Z", { happening: { kind: "failed" } }),
    listed("new", "2026-01-03T00:00:00Z"),
  ];

  test("shows who needs somebody first, in each group the latest first, and no empty group", () => {
    const shown = grouped(sessions).map((one) => [one.group, one.sessions.map((s) => s.title)]);
    expect(shown).toEqual([
      ["Needs you", ["asks"]],
      ["Stopped", ["broke"]],
      ["Done", ["new", "old"]],
    ]);
  });

  test("counts those who need somebody in the title", () => {
    expect(titleWith(needing(sessions))).toBe("(1) Holdfast");
    expect(titleWith(0)).toBe("Holdfast");
    expect(titleWith(2, "Fix the \u202Eflow")).toBe("(2) Fix the \\u202eflow · Holdfast");
  });
});
