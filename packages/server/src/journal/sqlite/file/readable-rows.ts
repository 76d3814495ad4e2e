/** Reads rows by their integer key, skips unreadable database pages, and reports the skipped keys. */

import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "./sqlite-error.ts";

const rowsPerStatement = 512;

export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

interface RowSource<T> {
  /** At most `limit` rows with keys in the range, in order. */
  readonly select: (from: number, to: number, limit: number) => readonly T[];
  readonly key: (row: T) => number;
  readonly lost: (range: KeyRange) => void;
}

/** In a lost subtree every key fails: after this many failures the rest of the range is skipped. */
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

/** Throws when the last key lies on an unreadable page. */
export function lastKey(database: DatabaseSync, table: string, key: string): number {
  return Number(database.prepare(`select max(${key}) as key from ${table}`).get()?.key ?? 0);
}

/** Halves an unreadable range until a single key is lost. */
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
