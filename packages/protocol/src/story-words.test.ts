import { expect, test } from "vitest";
import { rungWords } from "./story-words.ts";
import { namedTarget, toolTarget, toolWords } from "./words/tool.ts";

test("a recovery says how it was done, and what is known of the agent's memory", () => {
  expect(rungWords("native", "partial")).toBe(
    "resumed by the agent itself, part of its memory lost and told again",
  );
  expect(rungWords("adopted", null)).toBe("adopted");
  expect(rungWords(null, "verified")).toBe("recovered, its memory checked");
});

test.each([
  [
    { path: "a.ts", command: ["ls", "-l"] },
    { name: "command", text: "ls -l" },
  ],
  [
    { path: "a.ts", n: 1 },
    { name: "path", text: "a.ts" },
  ],
  [{ n: 1 }, null],
  ["plain", null],
  [null, null],
])("what %j is about is told apart from what it merely has", (input, target) => {
  expect(namedTarget(input)).toEqual(target);
});

test("what is about nothing in particular is shown as its reader shows such things", () => {
  expect(toolTarget({ n: 1, a: "x" })).toBe('a: "x", n: 1');
  expect(toolTarget({})).toBe("");
});

test("a target is shortened only where it is said", () => {
  const short = (target: string) => target.slice(0, 3);
  expect(toolWords("Read", { path: "long.ts" }, short)).toBe("Read lon");
  expect(toolWords("Read long.ts", { path: "long.ts" }, short)).toBe("Read long.ts");
});
