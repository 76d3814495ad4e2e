import { expect, test } from "vitest";
import { partLine } from "../lines/part-words.ts";
import { toolLine } from "../lines/tool-words.ts";

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
  [{ type: "notice", text: "two\nlines" }, "two ⏎ lines"],
  [{ type: "tool_started", name: "execute", input: { command: "ls" } }, "Run ls"],
  [{ type: "tool_finished", toolCallId: "t1" }, "a tool call between turns"],
  [{}, "content that cannot be shown here"],
])("%j is one line", (part, line) => {
  expect(partLine(part)).toBe(line);
});
