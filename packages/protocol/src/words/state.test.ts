import { expect, test } from "vitest";
import { sessionWords } from "../vocabulary.ts";
import { listedTime, queuedWords, stateWords } from "./state.ts";

test("every state of a session has a word and a tone", () => {
  expect(Object.keys(stateWords).toSorted()).toEqual([...sessionWords].toSorted());
});

test("a list shows since when a session needs a person, else its last activity", () => {
  const lastActiveAt = "2026-01-02T00:00:00Z";
  const need = { kind: "waiting", since: "2026-01-01T00:00:00Z" } as const;
  expect(listedTime({ need, lastActiveAt })).toBe(need.since);
  expect(listedTime({ need: null, lastActiveAt })).toBe(lastActiveAt);
});

test("queued messages are counted", () => {
  expect([queuedWords(1), queuedWords(2)]).toEqual(["1 message waits", "2 messages wait"]);
});
