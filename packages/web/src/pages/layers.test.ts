import { describe, expect, test } from "vitest";
import { deeper, dialogOf, layersOf, withLayer } from "./layers.ts";

const page = layersOf(null);

describe("what lies above the page", () => {
  test("is taken from the history as it was put there", () => {
    const files = deeper(withLayer(page, "side"));
    expect(layersOf(structuredClone(files))).toEqual({ open: ["side"], above: 2 });
  });

  test("shows the dialog that was opened last, and under it what was there", () => {
    const both = withLayer(withLayer(page, "side"), "new");
    expect(dialogOf(both)).toBe("new");
    expect(both.open).toContain("side");
    expect(dialogOf(withLayer(page, "side"))).toBeNull();
  });

  test.each([null, undefined, "x", {}, { open: "new", above: 1 }, { open: ["new"], above: 0 }])(
    "is nothing where %o stands in the history",
    (state) => expect(layersOf(state)).toEqual({ open: [], above: 0 }),
  );

  test("is no layer that this page does not know", () => {
    expect(layersOf({ open: ["odd", "new"], above: 2 })).toEqual({ open: ["new"], above: 2 });
  });
});
