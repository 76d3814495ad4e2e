import fc from "fast-check";
import { expect, test } from "vitest";
import { Gutter } from "./gutter.ts";
import { widthOf } from "./width.ts";

test("marks each line of an agent's text, however it is split", () => {
  const gutter = new Gutter();
  expect(gutter.mark("one\nt", 80)).toBe("│ one\n│ t");
  expect(gutter.mark("wo\n\nthree", 80)).toBe("wo\n│\n│ three");
  gutter.newLine();
  expect(gutter.mark("four", 80)).toBe("│ four");
});

test("no line of an agent looks like one of ours, and none is wrapped by the terminal [P41]", () => {
  const piece = fc.string({
    unit: fc.constantFrom("? needs you: ls", "a", " ", "\n", "漢", "\r", "\u001b"),
  });
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 10, max: 60 }), (pieces, columns) => {
      const gutter = new Gutter();
      const text = pieces.map((one) => gutter.mark(one, columns)).join("");
      for (const line of text.split("\n")) {
        if (line !== "") expect(line.startsWith("│")).toBe(true);
        expect(widthOf(line)).toBeLessThan(columns);
      }
    }),
  );
});
