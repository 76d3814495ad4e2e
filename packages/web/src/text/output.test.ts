import { describe, expect, test } from "vitest";
import { safeHref } from "./links.ts";
import { cutLines, output, overwritten, piecesOf } from "./output.ts";

const ESC = "\u001b";

describe("text from others", () => {
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

test("one long line without a carriage return is read once, not once per character", () => {
  const line = "x".repeat(1_000_000);
  expect(overwritten(line)).toBe(line);
  expect(overwritten(`10 %\r50 %\r${line}\r\n1\r\r\n2\r`)).toBe(`${line}\n\n`);
});
