import { expect, test } from "vitest";
import type { Edit } from "../components/composer/queue-edits.ts";
import { editStorage, withText } from "./drafts.ts";

test("a refused message goes back into the draft, before the text that is there", () => {
  expect(withText("", "too long")).toBe("too long");
  expect(withText("and this", "too long")).toBe("too long\n\nand this");
});

test("unsaved edits of queued messages survive a reload, and are forgotten when none is left", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const edit = { was: "add a test", text: "add two tests" };
  const placed = { ...edit, state: "placed" } as const;
  const edits: [string, Edit][] = [
    ["a", { ...edit, state: "saved" }],
    ["b", placed],
  ];
  editStorage("s1", storage)?.write(new Map(edits));
  const read = editStorage("s1", storage)?.read();
  expect(read?.get("a")).toEqual({ ...edit, state: "open" });
  expect(read?.get("b")).toEqual(placed);
  expect(editStorage("s2", storage)?.read().size).toBe(0);
  editStorage("s1", storage)?.write(new Map());
  expect(kept.size).toBe(0);
});
