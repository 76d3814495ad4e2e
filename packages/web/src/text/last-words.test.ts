import { expect, test } from "vitest";
import { lastWords } from "./last-words.ts";

test("a text that fits is one line of it, a longer one its last sentences", () => {
  expect(lastWords("The tests\npass.", 40)).toBe("The tests pass.");
  const told = "I looked at all of it. The tests pass. So I publish.";
  expect(lastWords(told, 40)).toBe("… The tests pass. So I publish.");
});

test("a last sentence that is too long begins with a whole word", () => {
  expect(lastWords("one two three four five six", 12)).toBe("… five six");
  expect(lastWords("It is done after a long while. Yes.", 20)).toBe("… a long while. Yes.");
  expect(lastWords("x".repeat(30), 10)).toBe(`… ${"x".repeat(10)}`);
});
