import type { NewItem, OutboxStorage, StoredItem } from "./item.ts";

/** Fallback storage that lasts as long as the page. */
export function memoryStorage(): OutboxStorage {
  const items = new Map<number, StoredItem>();
  let last = 0;
  return {
    isLasting: false,
    all: async () => [...items.values()].sort((a, b) => a.n - b.n),
    async add(item: NewItem) {
      const stored = { ...item, n: ++last };
      items.set(stored.n, stored);
      return stored;
    },
    async change(n, change) {
      const before = items.get(n);
      if (before === undefined) return undefined;
      const stored = { ...before, ...change };
      items.set(n, stored);
      return stored;
    },
    async remove(n) {
      items.delete(n);
    },
  };
}
