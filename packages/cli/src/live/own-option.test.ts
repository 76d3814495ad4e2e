import type { OwnOption } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { optionFor, wordFor } from "./own-option.ts";

function offered(...names: string[]): OwnOption[] {
  return names.map((name, i) => ({ id: String(i), name, decision: "allow", isOnce: true }));
}

test("an option is found by its name, then by its number, then by its id", () => {
  const options = offered("2", "Three", "four");
  const found = (text: string) => optionFor(text, options)?.name;
  expect(["2", "THREE", "1", "3"].map(found)).toEqual(["2", "Three", "2", "four"]);
  expect(["0", "4"].map(found)).toEqual(["2", undefined]);
});

test("the word for each option finds that option, also when names are numbers", () => {
  for (const options of [offered("2", "Three"), offered("2", "1"), offered("Yes", "No")]) {
    const words = options.map((one) => wordFor(one, options));
    expect(words.map((word) => optionFor(word, options))).toEqual(options);
  }
  const [first, second] = offered("2", "Not now") as [OwnOption, OwnOption];
  expect(wordFor(second, [first, second])).toBe("'Not now'");
});
