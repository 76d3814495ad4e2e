import { expect, test } from "vitest";
import { patchLines } from "./patch.ts";

const head = "diff --git a/a.ts b/a.ts\nindex de98044..d68dd40 100644\n--- a/a.ts\n+++ b/a.ts\n";

test("a patch becomes numbered lines, with the hidden lines between hunks counted", () => {
  const patch = `${head}@@ -3,3 +3,4 @@ export function x() {\n a\n-b\n+B\n+C\n c\n@@ -20 +21 @@\n-old\n+new\n`;
  expect(patchLines(patch)).toEqual([
    { sign: "…", hidden: 2 },
    { sign: " ", text: "a", at: 3 },
    { sign: "−", text: "b", at: null },
    { sign: "+", text: "B", at: 4 },
    { sign: "+", text: "C", at: 5 },
    { sign: " ", text: "c", at: 6 },
    { sign: "…", hidden: 14 },
    { sign: "−", text: "old", at: null },
    { sign: "+", text: "new", at: 21 },
  ]);
});

test("added and deleted files, and lines that look like a header, are parsed as lines", () => {
  const gone = `${head}@@ -1,2 +0,0 @@\n---- a/x\n-\n\\ No newline at end of file\n`;
  expect(patchLines(gone)).toEqual([
    { sign: "−", text: "--- a/x", at: null },
    { sign: "−", text: "", at: null },
  ]);
  const came = `${head}@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n`;
  expect(patchLines(`${gone}${came}`).at(-1)).toEqual({ sign: "+", text: "/etc/passwd", at: 1 });
});

test("a header alone has no lines", () => {
  expect(patchLines("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n")).toEqual([]);
});
