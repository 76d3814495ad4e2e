import { describe, expect, test } from "vitest";
import { grouped, needing, titleWith } from "./grouping.ts";
import { type Judged, stateWord } from "./state.ts";

const done: Judged = { word: "done", queued: 0 };

describe("a session's state", () => {
  test.each([
    [{ word: "damaged" }, "damaged", "Stopped"],
    [{ word: "waiting" }, "needs you", "Needs you"],
    [{ word: "interrupted" }, "interrupted", "Stopped"],
    [{ word: "failed" }, "failed", "Stopped"],
    [{ word: "working" }, "working", "Working"],
    [{ word: "unreachable" }, "unreachable", "Working"],
    [{ word: "paused" }, "paused", "Paused"],
    [{ word: "new" }, "new", "New"],
    [{}, "done", "Done"],
    [{ word: "ended", queued: 2 }, "ended", "Done"],
    [{ queued: 2 }, "done", "Stopped"],
    [{ queued: 2, word: "working" }, "working", "Working"],
  ] as const)("%o is %s, in %s", (change, word, group) => {
    expect(stateWord({ ...done, ...change })).toMatchObject({ word, group });
  });
});

describe("the list", () => {
  const listed = (title: string, lastActiveAt: string, change: Partial<Judged> = {}) => ({
    ...done,
    title,
    lastActiveAt,
    need: null,
    ...change,
  });
  const sessions = [
    listed("old", "2026-01-01T00:00:00Z"),
    listed("works", "2026-01-04T00:00:00Z", { word: "working" }),
    listed("asks", "2026-01-02T00:00:00Z", { word: "waiting" }),
    listed("broke", "2026-01-02T00:00:00Z", { word: "failed" }),
    listed("new", "2026-01-03T00:00:00Z"),
  ];

  test("shows sessions that need a person first, each group latest first, without empty groups", () => {
    const shown = grouped(sessions).map((one) => [one.group, one.sessions.map((s) => s.title)]);
    expect(shown).toEqual([
      ["Needs you", ["asks"]],
      ["Stopped", ["broke"]],
      ["Working", ["works"]],
      ["Done", ["new", "old"]],
    ]);
  });

  test("sorts waiting sessions by when they began to wait, the latest first", () => {
    const waits = (title: string, since: string, lastActiveAt: string) => ({
      ...listed(title, lastActiveAt, { word: "waiting" }),
      need: { kind: "waiting" as const, since },
    });
    const [{ sessions: rows } = { sessions: [] }] = grouped([
      waits("asked first", "2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z"),
      waits("asked last", "2026-01-02T00:00:00Z", "2026-01-02T00:00:00Z"),
    ]);
    expect(rows.map(({ title }) => title)).toEqual(["asked last", "asked first"]);
  });

  test("counts the sessions that need a person in the title", () => {
    expect(titleWith(needing({ waiting: 1, interrupted: 2, failed: 3 }))).toBe("(6) Holdfast");
    expect(titleWith(0)).toBe("Holdfast");
    expect(titleWith(2, "Fix the \u202Eflow")).toBe("(2) Fix the \\u202eflow · Holdfast");
  });
});
