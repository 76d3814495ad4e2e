import { visible, visibleLine } from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostile, isRaw } from "../test/hostile.ts";
import { paint } from "./output/print.ts";
import { toned } from "./output/words.ts";

/** Arbitrary code units, lone surrogates included, and often the hostile ones. */
const anything = fc
  .array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostile)))
  .map((parts) => parts.join(""));

describe("foreign text", () => {
  test("the corpus has a hundred strings, each of them hostile", () => {
    expect(new Set(hostile).size).toBeGreaterThanOrEqual(100);
    expect(hostile.filter((text) => !isRaw(text) && !text.includes("\n"))).toEqual([]);
  });

  test("is inert once it is made visible, whatever it contains [P41]", () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(isRaw(visible(text))).toBe(false);
        expect(isRaw(visibleLine(text))).toBe(false);
        expect(visibleLine(text)).not.toMatch(/[\n\t]/);
      }),
      { numRuns: 5000 },
    );
  });

  test("is inert in any pieces: a sequence that is cut in two does not come together", () => {
    fc.assert(
      fc.property(anything, fc.nat(), (text, at) => {
        const cut = at % (text.length + 1);
        expect(isRaw(visible(text.slice(0, cut)) + visible(text.slice(cut)))).toBe(false);
      }),
    );
  });

  test("is unchanged when all of it is visible already", () => {
    const text = "naïve → 漢字 \t 🙂‍↔️ \n می‌خواهم e\u0301 <b>\\u0000</b>";
    expect(visible(text)).toBe(text);
    expect(visible(visible("\u001b[2J\u202e"))).toBe(visible("\u001b[2J\u202e"));
  });

  test("shows each hidden character as a visible one", () => {
    expect(visible("\u001b[31mred\u0007\r\n")).toBe("␛[31mred␇␍\n");
    expect(visible("\u202egnp.exe \u009b2J \u007f")).toBe("\\u202egnp.exe \\u009b2J \\u007f");
    expect(visibleLine("a\nb\tc")).toBe("a␊b␉c");
  });

  test("keeps its value as JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anything, (value, text) => {
        const json = visible(JSON.stringify({ value, text, [text]: text }));
        expect(isRaw(json)).toBe(false);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value, text, [text]: text })));
      }),
    );
  });
});

test("only the CLI adds colours", () => {
  fc.assert(
    fc.property(anything, anything, (a, b) => {
      const painted = paint([a, toned("lost", `x${b}`)], true);
      expect(painted.split("\u001b")).toHaveLength(3);
      expect(painted).toBe(`${visibleLine(a)}\u001b[31mx${visibleLine(b)}\u001b[0m`);
    }),
  );
});
