import { expect, test } from "vitest";
import { safeHref } from "./links.ts";

test("a link of an agent leads to the web or to mail, and nowhere else [P41]", () => {
  expect(safeHref("https://a.test/x?y#z")).toBe("https://a.test/x?y#z");
  expect(safeHref("mailto:a@b.test")).toBe("mailto:a@b.test");
  for (const href of [
    "javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "/x",
    "file:///etc",
  ]) {
    expect(safeHref(href), href).toBeNull();
  }
});
