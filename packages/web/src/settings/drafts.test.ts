import { expect, test } from "vitest";
import { withText } from "./drafts.ts";

test("a refused message goes back into the draft, before the text that is there", () => {
  expect(withText("", "too long")).toBe("too long");
  expect(withText("and this", "too long")).toBe("too long\n\nand this");
});
