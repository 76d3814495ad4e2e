import { describe, expect, test } from "vitest";
import { visible, visibleLine } from "./visible.ts";

const ESC = "\u001b";

describe("text from others", () => {
  test.each([
    ["an escape sequence", `${ESC}]0;owned\u0007`, "␛]0;owned␇"],
    ["letters in another order", "invoice\u202efdp.exe", "invoice\\u202efdp.exe"],
    ["what is not seen", "pass\u200bword\u{e0041}", "pass\\u200bword\\udb40\\udc41"],
    ["half a letter", "a\ud800b", "a\\ud800b"],
    ["C1 controls", "a\u009bb", "a\\u009bb"],
  ])("[P36] is shown and not obeyed: %s", (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("keeps lines, tabs and characters that shape letters", () => {
    const text = "a\n\tb 👩\u200d🔧 می\u200cخواهم ☂\ufe0f";
    expect(visible(text)).toBe(text);
  });

  test("[P36] cannot start a new line of ours from a title", () => {
    expect(visibleLine("quiet\nNeeds you")).toBe("quiet␊Needs you");
  });
});
