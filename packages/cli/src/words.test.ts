import { age, ago, duration } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { partLine } from "./part-words.ts";
import { toolLine } from "./tool-words.ts";
import { bytes } from "./words.ts";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1500, "1.5 s"],
  [59_000, "59 s"],
  [61_000, "1 min"],
  [2 * 3_600_000, "2 h"],
  [72 * 3_600_000, "3 d"],
])("%i ms are %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("an age in the future is now, and an invalid time is a question mark", () => {
  const now = Date.parse("2026-11-15T00:00:00.000Z");
  expect(age("2026-11-15T00:00:03.000Z", now)).toBe("now");
  expect(ago("2026-11-14T23:59:00.000Z", now)).toBe("1 min ago");
  expect(age("\u001b[2J", now)).toBe("?");
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1500, "1.5 KB"],
  [48_000_000_000, "48 GB"],
])("%i bytes are %s", (n, words) => {
  expect(bytes(n)).toBe(words);
});

test.each([
  [{ command: "npm test" }, "$ npm test"],
  [{ command: ["ls", "-l"] }, "$ ls -l"],
  [{ file_path: "a\nb" }, "bash a ⏎ b"],
  [{ x: 1 }, "bash x: 1"],
  [{}, "bash"],
  [null, "bash"],
  ["plain", "bash plain"],
  [{ command: "x".repeat(100) }, `$ ${"x".repeat(80)}…`],
])("a call with %j is one line", (input, line) => {
  expect(toolLine("bash", input)).toBe(line);
});

test("a tool whose name says what it acts on does not say it twice", () => {
  expect(toolLine("Edit todo.js", { path: "todo.js" })).toBe("Edit todo.js");
});

test.each([
  [
    {
      type: "plan",
      entries: [
        { content: "Look", status: "completed" },
        { content: "Change", status: "in_progress" },
        { content: "Test", status: "pending" },
      ],
    },
    "plan: ✓ Look · ▸ Change · Test",
  ],
  [
    { type: "diff", path: "/a/b.js", oldText: "1\n2\n3\n", newText: "1\nx\ny\n3\n" },
    "± b.js  +2 −1",
  ],
  [{ type: "diff", path: "/a/new.js", newText: "1\n2\n" }, "± new.js  +2 −0"],
  [{ type: "image" }, "image"],
  [{ type: "plan", entries: "x" }, "plan: "],
  [{}, "something was added"],
])("%j is one line", (part, line) => {
  expect(partLine(part)).toBe(line);
});
