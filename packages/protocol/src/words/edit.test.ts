import { expect, test } from "vitest";
import { editSize, linesOf } from "./edit.ts";

test("the size of an edit leaves out the unchanged lines at both ends", () => {
  expect(editSize("a\nb\nc\n", "a\nx\ny\nc\n")).toEqual({ plus: 2, minus: 1 });
  expect(editSize("", "a\nb")).toEqual({ plus: 2, minus: 0 });
  expect(editSize("a\n", "")).toEqual({ plus: 0, minus: 1 });
});

test("a newline at the end of a text begins no further line", () => {
  expect([linesOf(""), linesOf("a\n"), linesOf("a\n\n")]).toEqual([[], ["a"], ["a", ""]]);
});
