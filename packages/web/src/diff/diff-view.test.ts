import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import DiffView from "./diff-view.tsx";

/** Two commands that differ only in their last word, behind more characters than a line usually has. */
const command = (last: string) => `echo ${"harbour ".repeat(100)}${last}`;

const drawn = (isWrapped: boolean) => {
  const [before, after] = [command("before"), command("afterwards")];
  const diff = { path: "asked before → asked now", before, after, toolCallId: null };
  return renderToStaticMarkup(createElement(DiffView, { diff, isWrapped }));
};

test("a wrapped diff shows a difference at the end of a long line", () => {
  expect(drawn(true)).toContain("harbour before<");
  expect(drawn(true)).toContain("harbour afterwards<");
});

test("an unwrapped diff cuts a long line and says how much is left out", () => {
  expect(drawn(false)).toContain("more characters");
  expect(drawn(false)).not.toContain("afterwards");
});
