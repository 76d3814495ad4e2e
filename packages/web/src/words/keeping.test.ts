import { expect, test } from "vitest";
import { givenWords, keepingOf, keptWords, letGoWords } from "./keeping.ts";

test("what was sent once is not said to be only kept here, and cannot be taken back [F26]", () => {
  const never = keepingOf({ state: "waiting" });
  expect([keptWords.waiting, letGoWords[never]]).toEqual([
    "Saved on this device. Sends when you're back online.",
    "Remove",
  ]);
  const once = keepingOf({ state: "waiting", mayHaveArrived: true });
  expect(once).toBe("unsure");
  expect(letGoWords[once]).toBe("Forget");
  for (const words of [keptWords.unsure, givenWords.unsure]) {
    expect(words).toContain("Holdfast checks when the host is reachable");
  }
});

test("an item being sent can neither be taken back nor removed, and a refused one is refused", () => {
  expect(letGoWords[keepingOf({ state: "sending", mayHaveArrived: true })]).toBeUndefined();
  expect(keepingOf({ state: "refused", mayHaveArrived: true })).toBe("refused");
});
