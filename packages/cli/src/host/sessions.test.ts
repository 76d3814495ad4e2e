import { emptyState, HostError, type SessionView, sessionView } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { CliError } from "../exit.ts";
import { byNeed, parkedWords, stateWord } from "../lines/session-words.ts";
import { pick, shortId } from "./sessions.ts";

const ids = ["019a0001aaaa7000000a", "019a0001bbbb7000000b", "019b0000cccc7000000c"].map(
  (digits) => `sess_${digits}`,
);
const items = ids.map((id, i) => ({ id, title: `Title ${i}` }));
const find = (word: string) => pick(items, word, "session", ({ title }) => title).id;

describe("a session is named by", () => {
  test("its id, or a beginning or end of it that no other has, with or without prefix", () => {
    expect(find("sess_019a0001aaaa7000000a")).toBe(ids[0]);
    expect(find("sess_019b")).toBe(ids[2]);
    expect(find("019a0001b")).toBe(ids[1]);
    expect(find("00000b")).toBe(ids[1]);
  });

  test("six or more characters of its id: fewer are only a title, and the error says so", () => {
    expect(() => find("0000b")).toThrow(/no session "0000b"\. Of an id, give at least 6/);
    const two = [...items, { id: "sess_019b0000dddd7000000d", title: "0b" }];
    expect(pick(two, "0b", "session", ({ title }) => title).id).toBe(two[3]?.id);
  });

  test("a word that is the id of one and the title of another is refused with both whole ids", () => {
    const two = [...items, { id: "sess_019b0000dddd7000000d", title: "7000000b" }];
    const both = /Name one: sess_019a0001bbbb7000000b .*, sess_019b0000dddd7000000d /;
    expect(() => pick(two, "7000000b", "session", ({ title }) => title)).toThrow(both);
  });

  test("its whole title", () => {
    expect(find("Title 1")).toBe(ids[1]);
  });

  test("a word that fits exactly one session, else it is refused", () => {
    expect(() => find("zzz")).toThrow(CliError);
    expect(() => find("zzzzzz")).toThrow(/A deleted session is named by its whole id/);
    expect(() => find("019a0001")).toThrow(HostError);
    expect(() => find("019a0001")).toThrow(/matches several sessions\. .*Title 0.*Title 1/);
  });

  test("the short id of any list, also of sessions created in the same second", () => {
    expect(ids.map(shortId)).toEqual(["7000000a", "7000000b", "7000000c"]);
    for (const id of ids) expect(find(shortId(id))).toBe(id);
  });
});

describe("a list of sessions", () => {
  const session = (change: Partial<SessionView>, lastActiveAt = "2026-11-15T00:00:00.000Z") =>
    ({
      status: "idle",
      lifecycle: "active",
      word: "done",
      need: null,
      lastActiveAt,
      ...change,
    }) as SessionView;

  test("puts sessions that need a person first, then working ones, then the latest", () => {
    const ended = session({ word: "ended" }, "2026-11-15T09:00:00.000Z");
    const done = session({}, "2026-11-15T08:00:00.000Z");
    const older = session({ word: "paused" }, "2026-11-15T07:00:00.000Z");
    const running = session({ word: "working" });
    const failed = session({ word: "failed" });
    const waiting = session({ word: "waiting" }, "2026-11-15T00:00:01.000Z");
    const sorted = [ended, older, done, running, failed, waiting].sort(byNeed);
    expect(sorted).toEqual([waiting, failed, running, done, older, ended]);
  });

  test("has a word of its own for a session that failed, also before its agent ever ran", () => {
    const reviveError = { code: "launch_failed", message: "There is no model foo." };
    const state = { ...emptyState, recovery: { ...emptyState.recovery, reviveError } };
    expect(stateWord(sessionView(state, { epoch: 1 })).word).toBe("failed");
    expect(stateWord(session({ word: "waiting" })).word).toBe("needs you");
  });

  test.each([
    [{ queued: 2 }, "2 messages wait; to send: holdfast queue sess_1 --release"],
    [
      { queued: 1, lifecycle: "paused" },
      "1 message waits; to send: holdfast queue sess_1 --release",
    ],
    [
      { queued: 1, status: "interrupted_startup" },
      "1 message waits; to send: holdfast queue sess_1 --release (dismisses the interrupted work)",
    ],
    [{ queued: 2, status: "running" }, null],
    [{ queued: 2, lifecycle: "ended" }, null],
    [{ queued: 0 }, null],
  ] as [Partial<SessionView>, string | null][])("%o: %s", (change, words) => {
    expect(parkedWords(session({ id: "sess_1", ...change }))).toBe(words);
  });
});
