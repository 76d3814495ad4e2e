import { expect, test } from "vitest";
import { withRefused } from "./drafts.ts";

test("a refused message goes back into the draft, before the text that is there", () => {
  expect(withRefused("", "too long")).toBe("too long");
  expect(withRefused("and this", "too long")).toBe("too long\n\nand this");
});
