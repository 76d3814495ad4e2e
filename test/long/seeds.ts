/** Reproducible randomness: every suite prints its seed, and `--seed` repeats it. */

export interface Random {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32: small, and good enough to spread points. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new Error("nothing to pick from");
      return items[below(items.length)] as T;
    },
  };
}

/**
 * `count` numbers from 1 to `most`, spread evenly with a seeded offset, so that every region is
 * covered.
 */
export function spread(random: Random, count: number, most: number): number[] {
  if (most <= 0 || count <= 0) return [];
  if (count >= most) return Array.from({ length: count }, (_, i) => (i % most) + 1);
  const step = most / count;
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor(i * step);
    const to = Math.max(from + 1, Math.floor((i + 1) * step));
    return from + random.below(to - from) + 1;
  });
}
