import { describe, expect, test } from "vitest";
import { editDiffOf } from "./edit-diff.ts";

const file = (lines: number, change: (n: number) => string = (n) => `line ${n}`) =>
  `${Array.from({ length: lines }, (_, n) => change(n + 1)).join("\n")}\n`;
const edit = (oldText: string | null, newText: string) =>
  editDiffOf({ type: "diff", path: "/w/a.ts", oldText, newText, toolCallId: "t" });

describe("an edit's two texts", () => {
  test("are one patch with its counts, however long they are", () => {
    const after = file(5000, (n) => (n === 2500 ? "changed" : `line ${n}`));
    expect(edit(file(5000), after)).toEqual({
      path: "/w/a.ts",
      toolCallId: "t",
      isNew: false,
      added: 1,
      removed: 1,
      truncated: false,
      wrote: Buffer.byteLength(after),
      patch:
        "@@ -2497,7 +2497,7 @@\n line 2497\n line 2498\n line 2499\n-line 2500\n+changed\n line 2501\n line 2502\n line 2503\n",
    });
  });

  test("that differ too much to compare are one piece in place of another, counted whole", () => {
    const before = file(20_000, (n) => `before ${n}`);
    const found = edit(`same\n${before}end\n`, `same\n${file(20_000, (n) => `after ${n}`)}end\n`);
    expect(found).toMatchObject({ added: 20_000, removed: 20_000, truncated: true });
    expect(found?.patch.startsWith("@@ -2,20000 +2,20000 @@\n-before 1\n")).toBe(true);
    expect(found?.patch.length).toBeLessThanOrEqual(16 * 1024);
  });

  test("of a new file are all added, and a long line is cut", () => {
    const found = edit(null, `${"x".repeat(5000)}\n`);
    expect(found).toMatchObject({ isNew: true, added: 1, removed: 0, truncated: true });
    expect(found?.patch.length).toBeLessThan(1100);
  });

  test("that are equal have an empty patch; anything else is no edit", () => {
    expect(edit("a\n", "a\n")).toMatchObject({ added: 0, removed: 0, patch: "" });
    expect(editDiffOf({ type: "plan" })).toBeNull();
    expect(editDiffOf({ type: "diff", path: 5, newText: "x" })).toBeNull();
  });
});
