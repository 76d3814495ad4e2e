import type { FileChangeView } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { seenChange, toldChange, withWhole } from "./change.ts";

const file: FileChangeView = {
  path: "a.ts",
  oldPath: null,
  kind: "modified",
  binary: false,
  added: 2,
  removed: 1,
  patch: "…",
  truncated: false,
};
const none = { added: 0, removed: 0, patch: "" };

test("a change from git has its counts and its patch", () => {
  expect(seenChange(file)).toMatchObject({
    word: null,
    plus: 2,
    minus: 1,
    note: null,
    diffs: [{ path: "a.ts", patch: "…" }],
  });
});

test.each([
  [{ binary: true }, "This file is not text"],
  [{ kind: "renamed", oldPath: "b.ts" }, "The content is unchanged"],
  [{ kind: "untracked" }, "The file is empty"],
  [{}, "Only the file mode"],
] as const)("a change without lines says why: %j", (over, note) => {
  const change = seenChange({ ...file, ...none, ...over });
  expect(change.diffs).toEqual([]);
  expect(change.note).toContain(note);
});

test("a change that the agent reported is counted from its texts, with a path relative to the workspace", () => {
  const told = { path: "/w/src/a.ts", before: null, after: "a\nb\n", toolCallId: null };
  expect(toldChange([told], "/w")).toMatchObject({
    path: "src/a.ts",
    word: "new",
    plus: 2,
    minus: 0,
  });
  expect(toldChange([told], "/w/s").path).toBe("/w/src/a.ts");
  expect(toldChange([told], null).path).toBe("/w/src/a.ts");
});

test("a whole patch replaces the truncated one of its file, and no other", () => {
  const moved = { ...file, oldPath: "b.ts", kind: "renamed" as const, truncated: true };
  const alone = { ...file, kind: "added" as const, patch: "all of it" };
  const other = { ...file, path: "c.ts" };
  expect(withWhole([moved, other], [alone])).toEqual([
    { ...moved, patch: "all of it", truncated: false },
    other,
  ]);
  expect(withWhole([file], [alone])).toEqual([file]);
});
