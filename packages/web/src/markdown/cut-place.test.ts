import { expect, test } from "vitest";
import { cutPlace } from "./cut-place.ts";

/** `^` marks the event; the result has `⏐` at the split, and the block that was not split. */
function cut(marked: string): readonly [string, string | null] {
  const at = marked.indexOf("^");
  const text = marked.replace("^", "");
  const place = cutPlace(text, at);
  return [`${text.slice(0, place.at)}⏐${text.slice(place.at)}`, place.inside];
}

test("prose is split after the current word", () => {
  expect(cut("First of it.\n\nSaid befo^re and after.\n\nMore.")).toEqual([
    ...["First of it.\n\nSaid before⏐ and after.\n\nMore.", null],
  ]);
  expect(cut("One ^two\nthree")).toEqual(["One ⏐two\nthree", null]);
  expect(cut("One^ two")).toEqual(["One⏐ two", null]);
  expect(cut("One.\n^\nTwo.")).toEqual(["One.\n\n⏐Two.", null]);
  expect(cut("One.\n\n^Two.")).toEqual(["One.\n\n⏐Two.", null]);
  const long = "x".repeat(50);
  expect(cut(`a ${long}^${long} b`)).toEqual([`a ${long}⏐${long} b`, null]);
});

test("emphasis and inline code are not split, and a split that moved by several words says so", () => {
  expect(cut("Now **all ^of it** is done.")).toEqual(["Now **all of it**⏐ is done.", "text"]);
  expect(cut("Run `npm^ publish now` at last.")).toEqual([
    ...["Run `npm publish now`⏐ at last.", "text"],
  ]);
});

test("the split moves by a word when the rest would be parsed as a list or a heading", () => {
  expect(cut("We do step^ 2. then go.")).toEqual(["We do step 2.⏐ then go.", null]);
  expect(cut("It is^ # one of them")).toEqual(["It is #⏐ one of them", null]);
});

test("code, tables and list items are not split but named", () => {
  expect(cut("Look:\n```ts\na\n\n^b\n```\nThe rest.")).toEqual([
    ...["Look:\n```ts\na\n\nb\n```\n⏐The rest.", "code"],
  ]);
  expect(cut("- one\n- tw^o words\n- three")).toEqual(["- one\n- two words\n⏐- three", "list"]);
  expect(cut("- one\n^- two")).toEqual(["- one\n⏐- two", null]);
  expect(cut("| a | b |\n|---|---|\n| ^1 | 2 |\n\nEnd.")).toEqual([
    ...["| a | b |\n|---|---|\n| 1 | 2 |⏐\n\nEnd.", "table"],
  ]);
  expect(cut("# A hea^ding here\nText")).toEqual(["# A heading here\n⏐Text", "text"]);
});

test("a blank line inside a list item or inside indented code does not split it", () => {
  const step = "1.  Run:\n\n    ```sh\n    a ^one\n\n    b\n    ```\n\n    Then look.\n";
  const whole = step.replace("^", "");
  expect(cut(`${step}\nThe rest.`)).toEqual([`${whole.trimEnd()}⏐\n\nThe rest.`, "list"]);
  expect(cut(`${step}2.  Next`)).toEqual([`${whole}⏐2.  Next`, "list"]);
  expect(cut("- one\n\n  mo^re words\n\n- two")).toEqual([
    "- one\n\n  more words⏐\n\n- two",
    "list",
  ]);
  expect(cut("So:\n\n    a ^one\n\n\n    b\n\nThe rest.")).toEqual([
    ...["So:\n\n    a one\n\n\n    b⏐\n\nThe rest.", "code"],
  ]);
});

test("text that is too costly to lex is not split", () => {
  const deep = `${"> ".repeat(5000)}x ^y z`;
  expect(cut(deep)).toEqual([`${deep.replace("^", "")}⏐`, "text"]);
  expect(cut(`a ^${">".repeat(5000)} b`)[1]).toBe(null);
});

test("random Markdown has a place, which is exact unless it names a block", () => {
  const signs = [
    "*",
    "`",
    "\n",
    "- ",
    "| ",
    "word ",
    "# ",
    "\r\n",
    "[a](b)",
    "```\n",
    "1. ",
    "    ",
  ];
  let seed = 7;
  const next = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: next(30) }, () => signs[next(signs.length)]).join("");
    const at = next(text.length + 1);
    const place = cutPlace(text, at);
    expect(place.at).toBeLessThanOrEqual(text.length);
    if (place.inside === null)
      expect(text.slice(Math.min(at, place.at), Math.max(at, place.at)).trim()).not.toMatch(
        /\S\s+\S/,
      );
  }
});
