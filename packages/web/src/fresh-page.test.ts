import { expect, test } from "vitest";
import { entryIn, type PagePlace, reloadForCode, reloadIfOlder } from "./fresh-page.ts";

const html = (entry: string) =>
  `<head><script src="/theme.js"></script><script type="module" crossorigin src="${entry}"></script>`;

function tab(served: string | null, change: Partial<PagePlace> = {}) {
  const kept = new Map<string, string>();
  const seen = { reloads: 0, served };
  const place: PagePlace = {
    async fetch() {
      if (seen.served === null) throw new TypeError("Load failed");
      return { ok: true, text: async () => html(seen.served ?? "") };
    },
    entry: "/assets/index-1.js",
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
    },
    reload: () => {
      seen.reloads += 1;
    },
    isTouched: () => false,
    ...change,
  };
  return { place, seen };
}

test("the entry script of a page is found in its HTML", () => {
  expect(entryIn(html("/assets/index-2.js"))).toBe("/assets/index-2.js");
  expect(entryIn("<p>The page is not built.")).toBeNull();
});

test("a page that is older than its host's reloads once, and never again for the same version", async () => {
  const { place, seen } = tab("/assets/index-2.js");
  expect(await reloadIfOlder(place)).toBe(true);
  // A proxy cached the old page, so the reload finds the same newer version again.
  expect(await reloadIfOlder(place)).toBe(false);
  expect(seen.reloads).toBe(1);
  seen.served = "/assets/index-3.js";
  expect(await reloadIfOlder(place)).toBe(true);
});

test.each([
  ["the host has the same page", tab("/assets/index-1.js")],
  ["the host cannot be reached", tab(null)],
  ["somebody is writing", tab("/assets/index-2.js", { isTouched: () => true })],
  ["nothing remembers that it reloaded", tab("/assets/index-2.js", { storage: null })],
])("a page does not reload when %s", async (_why, { place, seen }) => {
  expect(await reloadIfOlder(place)).toBe(false);
  expect(seen.reloads).toBe(0);
});

test("code that cannot be loaded reloads the page once, but only when the host answers", async () => {
  const { place, seen } = tab(null);
  expect(await reloadForCode(place, "settings")).toBe(false);
  seen.served = "/assets/index-1.js";
  expect(await reloadForCode(place, "settings")).toBe(true);
  expect(await reloadForCode(place, "settings")).toBe(false);
  expect(seen.reloads).toBe(1);
});

test("two parts whose code cannot be loaded reload the page once each, and not in turn for ever", async () => {
  const { place, seen } = tab("/assets/index-1.js");
  for (const name of ["diff", "settings", "diff", "settings"]) await reloadForCode(place, name);
  expect(seen.reloads).toBe(2);
});
