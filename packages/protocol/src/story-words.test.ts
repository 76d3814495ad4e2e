import { expect, test } from "vitest";
import { recoveryWords } from "./words/receipt.ts";
import { namedTarget, toolTarget, toolWords } from "./words/tool.ts";

test("a recovery says what became of the work, and what is known of the agent's memory", () => {
  expect(recoveryWords("native", "verified", 310)).toBe(
    "Agent restarted from its own saved session in 310 ms. Memory verified.",
  );
  expect(recoveryWords("native", "partial", null)).toBe(
    "Agent restarted from its own saved session. Part of its memory was lost; it is told again.",
  );
  expect(recoveryWords("adopted", null, 52)).toBe(
    "Host restarted. The agent kept working; nothing was lost.",
  );
  expect(recoveryWords(null, "verified", null)).toBe("Agent recovered. Memory verified.");
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

test("an input without a recognised target is shown as its fields", () => {
  expect(toolTarget({ n: 1, a: "x" })).toBe('a: "x", n: 1');
  expect(toolTarget({})).toBe("");
});

test("a target is shortened only when it is added to the name", () => {
  const short = (target: string) => target.slice(0, 3);
  expect(toolWords("Read", { path: "long.ts" }, short)).toBe("Read lon");
  expect(toolWords("Read long.ts", { path: "long.ts" }, short)).toBe("Read long.ts");
});
