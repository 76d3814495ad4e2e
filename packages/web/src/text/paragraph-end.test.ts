import { expect, test } from "vitest";
import { paragraphEnd } from "./paragraph-end.ts";

test("Markdown is cut after the paragraph around the offset, and never inside code", () => {
  const text = "First of it.\n\n```ts\na\n\nb\n```\n\nThe rest.";
  expect(text.slice(paragraphEnd(text, 5))).toBe("```ts\na\n\nb\n```\n\nThe rest.");
  expect(text.slice(paragraphEnd(text, 14))).toBe("```ts\na\n\nb\n```\n\nThe rest.");
  expect(text.slice(paragraphEnd(text, 22))).toBe("The rest.");
  expect(paragraphEnd(text, text.length - 2)).toBe(text.length);
  expect(paragraphEnd("one line", 3)).toBe(8);
});
