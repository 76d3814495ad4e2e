import { describe, expect, test } from "vitest";
import { deeper, dialogOf, layersOf, withLayer } from "./layers.ts";

const page = layersOf(null);

describe("the layers above the page", () => {
  test("are read from the history as they were written", () => {
    const files = deeper(withLayer(page, "side"));
    expect(layersOf(structuredClone(files))).toEqual({ open: ["side"], above: 2 });
  });

  test("show the dialog that was opened last above the side pane", () => {
    const both = withLayer(withLayer(page, "side"), "new");
    expect(dialogOf(both)).toBe("new");
    expect(both.open).toContain("side");
    expect(dialogOf(withLayer(page, "side"))).toBeNull();
  });

  test.each([null, undefined, "x", {}, { open: "new", above: 1 }, { open: ["new"], above: 0 }])(
    "are empty when the history state is %o",
    (state) => expect(layersOf(state)).toEqual({ open: [], above: 0 }),
  );

  test("leave out a name that this page does not know", () => {
    expect(layersOf({ open: ["odd", "new"], above: 2 })).toEqual({ open: ["new"], above: 2 });
  });
});
