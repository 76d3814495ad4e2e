import { expect, test } from "vitest";
import { packFolded, unpackFolded } from "./folded.ts";
import { emptyState } from "./session.ts";

test("a folded state comes back as it was, with what it did not know yet filled in", () => {
  const { recovery: _later, ...older } = { ...emptyState, seq: 7 };
  expect(unpackFolded(packFolded(older), emptyState)).toEqual({ ...emptyState, seq: 7 });
});

test("a state folded by a newer version is refused, not misread", () => {
  const newer = JSON.stringify({ foldVersion: 99, folded: emptyState });
  expect(() => unpackFolded(newer, emptyState)).toThrow(/newer Holdfast/);
});
