import remend from "remend";
import { describe, expect, test } from "vitest";
import { blocksOf, markdownEnd } from "./blocks.ts";

const mend = (text: string) => remend(text, { linkMode: "text-only", images: false });
const text =
  "# Title\n\nSome **bold** words.\n\n```ts\nconst a = 1;\n```\n\n- one\n- two\n\nThe end.";

describe("a growing answer", () => {
  test("keeps complete blocks: only the last block changes", () => {
    for (let cut = 1; cut < text.length; cut++) {
      const before = blocksOf(text.slice(0, cut), mend).map(({ raw }) => raw);
      const after = blocksOf(text.slice(0, cut + 1), mend).map(({ raw }) => raw);
      const settled = before.slice(0, -1).map((raw) => raw.trimEnd());
      // The last lines of a paragraph may still become a heading or a list.
      expect(after.slice(0, Math.max(0, settled.length - 1)).map((raw) => raw.trimEnd())).toEqual(
        settled.slice(0, -1),
      );
    }
  });

  test("closes open syntax for display", () => {
    expect(JSON.stringify(blocksOf("a **bold", mend))).toContain('"type":"strong"');
    expect(blocksOf("```ts\nconst", mend)[0]?.token.type).toBe("code");
  });

  test("leaves HTML as text", () => {
    const [block] = blocksOf("<script>alert(1)</script>", null);
    expect(block?.token.type).toBe("html");
    expect(block?.raw).toContain("<script>");
  });

  test.each(["> ", ">", "- ", "1. ", "> - "])(
    "[S15] nests %j no deeper than the page can render",
    (sign) => {
      const [block] = blocksOf(`${sign.repeat(5000)}x`, null);
      expect(block?.token.type).toBe("paragraph");
      expect(blocksOf(`${sign.repeat(8)}x`, null)[0]?.token.type).not.toBe("paragraph");
    },
  );

  test.each([
    ["", "  ", "- x"],
    ["", "  ", "-"],
    ["", "   ", "1. x"],
    ["", "\t", "* x"],
    ["> ", "  ", "- x"],
  ])("[S15] nests %j and %j before %j no deeper than the page can render", (margin, step, sign) => {
    const line = (n: number) => `${margin}${step.repeat(n)}${sign}`;
    const ladder = (steps: number) => Array.from({ length: steps }, (_, n) => line(n)).join("\n");
    expect(depthOf(ladder(400))).toBeLessThanOrEqual(65);
    expect(depthOf(ladder(8))).toBeGreaterThanOrEqual(8);
  });
});

describe("text whose syntax costs the parser too much", () => {
  /** Number of blocks that are parsed as Markdown; the others are plain text. */
  const looked = (text: string) =>
    blocksOf(text, null).filter(({ token }) => {
      const { tokens = [] } = token as Nested & { tokens?: readonly { type?: string }[] };
      return tokens[0]?.type !== "plain";
    }).length;

  test.each(["**a ", "*a ", "_a ", "~a ", "***a ", "[a ", "<a ", "`a ", "int *p; "])(
    "[S15] a paragraph of %j without an end is rendered as plain text",
    (unit) => {
      const text = `${unit.repeat(400)}x${unit.trim()}`;
      expect(looked(text)).toBe(0);
      expect(looked(mend(text))).toBe(0);
      expect(looked(`${unit.repeat(20)}x`)).toBe(1);
    },
  );

  test("[S15] no number of paragraphs costs more than a few of the worst", () => {
    const paragraph = `${"**a ".repeat(140)}x**`;
    expect(looked(`${paragraph}\n\n`.repeat(200))).toBeLessThanOrEqual(3);
    expect(looked("An **ordinary** paragraph with `code` in _it_.\n\n".repeat(200))).toBe(200);
  });

  test("[S15] after 100,000 letters a text is plain, from the end of a line on", () => {
    const text = "line of an answer\n".repeat(10_000);
    const end = markdownEnd(text);
    expect(end).toBeLessThanOrEqual(100_000);
    expect(end).toBeGreaterThan(99_900);
    expect(text[end - 1]).toBe("\n");
    expect(markdownEnd("x".repeat(200_000))).toBe(100_000);
    expect(markdownEnd("short")).toBe(5);
  });
});

type Nested = { readonly tokens?: readonly Nested[]; readonly items?: readonly Nested[] };

/** Nesting depth of lists and quotes. */
function depthOf(text: string): number {
  const below = (token: Nested & { readonly type?: string }): number => {
    const inside = [...(token.tokens ?? []), ...(token.items ?? [])].map(below);
    const own = token.type === "list" || token.type === "blockquote" ? 1 : 0;
    return own + Math.max(0, ...inside);
  };
  return Math.max(...blocksOf(text, null).map(({ token }) => below(token as Nested)));
}
