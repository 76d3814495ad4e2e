import { expect, test } from "vitest";
import { namedTarget, toolTarget, toolWords } from "./tool.ts";

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
