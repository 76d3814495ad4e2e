import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostile, isRaw } from "../../test/hostile.ts";
import { paint } from "./print.ts";
import { table } from "./table.ts";
import { fit, pad, widthOf } from "./width.ts";

const columns = [{ head: "STATE" }, { head: "TITLE", gives: true }, { head: "AGE" }] as const;
const rows = (...titles: string[]) =>
  titles.map((title) => [{ text: "● working" }, { text: title }, { text: "3 min" }]);
const lines = (titles: string[], width: number | null) =>
  table(columns, rows(...titles), width).map((line) => paint(line, false));

describe("a table", () => {
  test("stands straight, also with wide letters", () => {
    expect(lines(["Fix it", "漢字 🙂"], 80)).toEqual([
      "STATE      TITLE    AGE",
      "● working  Fix it   3 min",
      "● working  漢字 🙂  3 min",
    ]);
  });

  test("fits the width: the title is cut", () => {
    const [, line] = lines(["A title that is much longer than the terminal is wide"], 40);
    expect(line).toBe("● working  A title that is much …  3 min");
    expect(widthOf(line ?? "")).toBe(40);
  });

  test("fits the width: of several columns the last is cut first, and each keeps a part", () => {
    const giving = [
      { head: "TITLE", gives: true },
      { head: "LAST", gives: true },
    ] as const;
    const cells = ["A title of some length", "and what happened in it last"];
    const row = (width: number) => {
      const [, line] = table(giving, [cells.map((text) => ({ text }))], width);
      return paint(line ?? [], false);
    };
    expect(row(44)).toBe("A title of some length  and what happened i…");
    expect(row(30)).toBe("A title of some…  and what ha…");
  });

  test("is uncut when there is no width to fit", () => {
    const title = "x".repeat(500);
    expect(lines([title], null)[1]).toContain(title);
  });

  test("is a line per row and inert, whatever a title holds [P41]", () => {
    const printed = lines([...hostile], 60);
    expect(printed).toHaveLength(hostile.length + 1);
    expect(
      printed.filter((line) => isRaw(line) || /[\n\t]/.test(line) || widthOf(line) > 60),
    ).toEqual([]);
  });
});

describe("width", () => {
  test("counts columns, not letters", () => {
    const widths = ["", "abc", "é", "e\u0301", "漢字", "🙂", "👨‍👩‍👧", "한"].map(widthOf);
    expect(widths).toEqual([0, 3, 1, 1, 4, 2, 2, 2]);
  });

  test("fitting never takes more than there is, and padding never less", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, columns) => {
        expect(widthOf(fit(text, columns))).toBeLessThanOrEqual(Math.max(columns, 0));
        expect(widthOf(pad(text, columns))).toBe(Math.max(columns, widthOf(text)));
      }),
    );
  });
});
