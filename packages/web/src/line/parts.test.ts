import type { Part } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { changesOf, diffOf, sizeOf } from "./parts.ts";

const hash = "a".repeat(64);
const diff = { path: "/w/a.ts", toolCallId: "t", isNew: false, added: 1, removed: 2 };
const long = {
  type: "blob",
  preview: "",
  hash,
  bytes: 35_000,
  diff: { ...diff, patch: "@@ -1,1 +1,1 @@\n-a\n+b\n", truncated: false },
};
const other = (part: object, seq = 1): Part =>
  ({ type: "other", seq, part, recovered: false }) as Part;
const edit = (oldText: string, newText: string) => ({
  type: "diff",
  path: "/w/a.ts",
  oldText,
  newText,
});

test("an edit that the host compared is a diff with its counts", () => {
  const found = diffOf(long);
  expect(found).toMatchObject({ path: "/w/a.ts", toolCallId: "t", blob: { hash, bytes: 35_000 } });
  expect(found && sizeOf(found)).toEqual({ plus: 1, minus: 2 });
});

test("a long edit of an earlier host is named by the beginning of its JSON, and has no line counts", () => {
  const preview = '{"type":"diff","path":"/w/\\"a\\".ts","oldText":"line 1\\n…';
  const found = diffOf({ type: "blob", preview, hash, bytes: 35_000 });
  expect(found).toMatchObject({ path: '/w/"a".ts', size: null, truncated: true });
  expect(diffOf({ type: "blob", preview: '{"type":"plan","path":"x"', hash, bytes: 1 })).toBeNull();
  expect(diffOf({ type: "blob", preview: '{"type":"diff","path":', hash, bytes: 1 })).toBeNull();
});

test("short edits of a file are joined into one change, and a long one stays separate", () => {
  expect(changesOf([other(edit("a", "b")), other(edit("b", "c"))])).toMatchObject([
    [{ before: "a", after: "c" }],
  ]);
  expect(changesOf([other(edit("a", "b")), other(edit("b", "a"))])).toEqual([]);
  const turns = changesOf([other(edit("a", "b")), other(long), other(edit("c", "d"))]);
  expect(turns.map((diffs) => diffs.length)).toEqual([3]);
});
