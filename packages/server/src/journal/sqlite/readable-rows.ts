/** Reads rows by their integer key around unreadable database pages, naming the keys it had to skip. */

import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "./sqlite-error.ts";

const rowsPerStatement = 512;

export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

export interface RowSource<T> {
  /** At most `limit` rows with keys in the range, in order. */
  readonly select: (from: number, to: number, limit: number) => readonly T[];
  readonly key: (row: T) => number;
  readonly lost: (range: KeyRange) => void;
}

/** Where a whole subtree is gone every key fails: after this many the rest of the range is given up. */
const maxFailures = 20_000;

export function* readableRows<T>(
  source: RowSource<T>,
  range: KeyRange,
  failures = { left: maxFailures },
): Iterable<T> {
  let { from } = range;
  while (from <= range.to) {
    const rows = attempt(() => source.select(from, range.to, rowsPerStatement));
    if (rows === null) {
      yield* readAround(source, { from, to: range.to }, failures);
      return;
    }
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    from = source.key(last) + 1;
  }
}

/** Throws like any read when the last key itself lies on an unreadable page. */
export function lastKey(database: DatabaseSync, table: string, key: string): number {
  return Number(database.prepare(`select max(${key}) as key from ${table}`).get()?.key ?? 0);
}

/** Halves a range that cannot be read until what is lost is a single key. */
function* readAround<T>(
  source: RowSource<T>,
  { from, to }: KeyRange,
  failures: { left: number },
): Iterable<T> {
  if (from === to || failures.left-- <= 0) {
    source.lost({ from, to });
    return;
  }
  const middle = Math.floor((from + to) / 2);
  yield* readableRows(source, { from, to: middle }, failures);
  yield* readableRows(source, { from: middle + 1, to }, failures);
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}
