import { expect, test } from "vitest";
import { endingWords } from "./ending.ts";

const queued = (...contents: string[]) => contents.map((content) => ({ content }));

test("the words before an end name the queued messages that it leaves unsent", () => {
  expect(endingWords([])).toMatch(/^An ended session cannot be resumed\. /);
  expect(endingWords(queued("Fix the\ntests"))).toMatch(
    /^1 queued message will not be sent, but you can still read it: “Fix the ⏎ tests”\. An ended /,
  );
  expect(endingWords(queued("a", "b"))).toMatch(/^2 queued messages .* read them: “a”, “b”\. /);
});

test("the words before an end stay short, however many messages are queued", () => {
  const words = endingWords(queued(..."abcdefg", "x".repeat(1000)));
  expect(words).toContain("“a”, “b”, “c”, “d”, “e”, 3 more. ");
  expect(endingWords(queued("x".repeat(1000))).length).toBeLessThan(400);
});
