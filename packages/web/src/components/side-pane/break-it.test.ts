import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { BreakIt } from "./break-it.tsx";

test("each button of Break it has a name of its own, which begins with its word", () => {
  const page = renderToStaticMarkup(
    createElement(BreakIt, { history: [], onBreak: () => undefined }),
  );
  const buttons = [...page.matchAll(/<button[^>]* aria-label="(\w+)([^"]+)"[^>]*>([^<]+)</g)];
  expect(new Set(buttons.map(([, verb, rest]) => `${verb}${rest}`)).size).toBe(5);
  for (const [, verb, , word] of buttons) expect(word).toBe(verb);
});
