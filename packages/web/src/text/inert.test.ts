import { describe, expect, test } from "vitest";
import { cutLines, output, piecesOf, visible, visibleLine } from "./inert.ts";
import { safeHref } from "./links.ts";

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

  test("[P36] cannot start a new line of the page from a title", () => {
    expect(visibleLine("quiet\nNeeds you")).toBe("quiet␊Needs you");
  });

  test("loses only the colours of a program's output", () => {
    expect(output(`${ESC}[1;32m✓${ESC}[0m ok\r\n${ESC}[2Jgone${ESC}[8mhidden`)).toBe(
      "✓ ok\n␛[2Jgonehidden",
    );
  });

  test("is cut where a line is longer than anyone reads, and says by how much", () => {
    expect(cutLines(`short\n${"x".repeat(12)}`, 4)).toBe(
      "shor … 1 more characters\nxxxx … 8 more characters",
    );
  });
});

describe("a link of an agent", () => {
  test.each([
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x/1",
    "/settings",
    "#link=stolen",
    "//evil.example",
    "",
  ])("[S15] leads nowhere: %j", (href) => {
    expect(safeHref(href)).toBeNull();
  });

  test("leads outside", () => {
    expect(safeHref("https://example.org/a?b=c")).toBe("https://example.org/a?b=c");
    expect(safeHref("mailto:ada@example.org")).toBe("mailto:ada@example.org");
  });
});

describe("a long text in pieces", () => {
  test("loses only the line ends at which it is cut", () => {
    const lines = Array.from({ length: 2000 }, (_, n) => `line ${n}`).join("\n");
    const pieces = piecesOf(lines);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("\n")).toBe(lines);
  });

  test("is split between characters when a line has no end", () => {
    const line = `x${"😀".repeat(5000)}`;
    const pieces = piecesOf(line);
    expect(pieces.join("")).toBe(line);
    expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= 8000)).toBe(true);
  });

  test("that is short stays whole", () => {
    expect(piecesOf("")).toEqual([""]);
    expect(piecesOf("a\nb")).toEqual(["a\nb"]);
  });
});
