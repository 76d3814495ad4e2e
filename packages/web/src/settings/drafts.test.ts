import { expect, test } from "vitest";
import { editStorage, withText } from "./drafts.ts";
import type { Edit } from "./queue-edits.ts";

test("a refused message goes back into the draft, before the text that is there", () => {
  expect(withText("", "too long")).toBe("too long");
  expect(withText("and this", "too long")).toBe("too long\n\nand this");
});

function memory() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  return { kept, storage };
}

const edit = { was: "add a test", text: "add two tests" };

test("a tab keeps and drops its own edits, and leaves those of another tab", () => {
  const { kept, storage } = memory();
  const [one, two] = [editStorage("s1", storage), editStorage("s1", storage)];
  for (const tab of [one, two]) expect(tab?.read().size).toBe(0);
  const open = { ...edit, state: "open" } as const;
  one?.write(new Map([["a", open]]));
  two?.write(new Map([["b", open]]));
  const ids = () => [...(editStorage("s1", storage)?.read().keys() ?? [])];
  expect(ids()).toEqual(["a", "b"]);
  one?.write(new Map());
  expect(ids()).toEqual(["b"]);
  two?.write(new Map());
  expect(kept.size).toBe(0);
});

test("a malformed edit is left out, and the others are read", () => {
  const { storage } = memory();
  const sound = ["a", { ...edit, state: "open" }];
  const malformed = [null, 7, [], ["b"], ["c", null], ["d", { was: 1, text: "x" }]];
  storage.setItem("holdfast.edits.s1", JSON.stringify([...malformed, sound]));
  expect([...(editStorage("s1", storage)?.read() ?? [])]).toEqual([sound]);
});

test("unsaved edits of queued messages survive a reload, and are forgotten when none is left", () => {
  const { kept, storage } = memory();
  const placed = { ...edit, state: "placed" } as const;
  const edits: [string, Edit][] = [
    ["a", { ...edit, state: "saved" }],
    ["b", placed],
  ];
  const page = editStorage("s1", storage);
  page?.write(new Map(edits));
  const read = editStorage("s1", storage)?.read();
  expect(read?.get("a")).toEqual({ ...edit, state: "open" });
  expect(read?.get("b")).toEqual(placed);
  expect(editStorage("s2", storage)?.read().size).toBe(0);
  page?.write(new Map());
  expect(kept.size).toBe(0);
});
