/** Checks the session records at boot: the checksums of each one, and the indexes over them. */

import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "@holdfast/protocol";
import type { Damage } from "../../journal.ts";
import { type KeyRange, lastKey, readableRows } from "../file/readable-rows.ts";
import {
  damageOf,
  recordColumns,
  type SessionRow,
  type SessionState,
  type SessionStates,
} from "../file/session-state.ts";
import { isDamage } from "../file/sqlite-error.ts";

interface RecordScan {
  readonly sessions: number;
  /** Sessions whose record says they have a tail in the log, by row. */
  readonly tails: Map<number, SessionState>;
  /** Sessions whose record or last page is damaged and is not marked as damaged yet. */
  readonly damaged: Set<SessionState>;
  /** Damage for which no readable record exists to mark. */
  readonly unmarked: Damage[];
  /** True when an index is damaged and every record is sound: the indexes can be rebuilt. */
  readonly canRemakeIndexes: boolean;
}

export function scanRecords(database: DatabaseSync, states: SessionStates): RecordScan {
  const tails = new Map<number, SessionState>();
  const damaged = new Set<SessionState>();
  const lost = new Set<number>();
  let sessions = 0;
  for (const row of sessionRows(database, lost)) {
    sessions++;
    const isSound = row.damage !== null || damageOf(row) === null;
    if (!isSound) lost.add(row.row);
    if (row.tail === 0 && isSound) continue;
    const state = states.byRecord(row);
    if (state.damage && row.damage === null) damaged.add(state);
    if (row.tail === 1) tails.set(row.row, state);
  }
  const isIndexed = areIndexesSound(database);
  const unmarked = isIndexed && lost.size === 0 ? [] : nameLost(database, states, lost);
  return {
    sessions,
    tails,
    damaged,
    unmarked,
    canRemakeIndexes: !isIndexed && unmarked.length === 0,
  };
}

function sessionRows(database: DatabaseSync, lost: Set<number>): Iterable<SessionRow> {
  const select = database.prepare(
    `select ${recordColumns} from sessions where row between ? and ? order by row limit ?`,
  );
  const source = {
    select: (from: number, to: number, limit: number) =>
      select.all(from, to, limit) as unknown as SessionRow[],
    key: (row: SessionRow) => row.row,
    lost: ({ from }: KeyRange) => lost.add(from),
  };
  return readableRows(source, { from: 1, to: lastKey(database, "sessions", "row") });
}

/** The indexes decide which sessions are found; all they hold is also in the records. */
function areIndexesSound(database: DatabaseSync): boolean {
  const [first] = database.prepare("pragma integrity_check(sessions)").all();
  return first?.integrity_check === "ok";
}

/**
 * A damaged record may have lost its id too. The index over ids is stored elsewhere: a session that
 * it names for a row without a sound record is reported as lost.
 */
function nameLost(
  database: DatabaseSync,
  states: SessionStates,
  lost: ReadonlySet<number>,
): Damage[] {
  const reason = "its session record is damaged";
  const select = database.prepare(`select ${recordColumns} from sessions where row = ?`);
  const unmarked: Damage[] = [];
  for (const { id, row } of namesInIndex(database)) {
    if (isSoundRecord(() => select.get(row) as SessionRow | undefined)) continue;
    states.lose(id, reason);
    unmarked.push({ session: id, reason, readableTo: null });
  }
  if (unmarked.length < lost.size) {
    unmarked.push({ session: null, reason: "session records are unreadable", readableTo: null });
  }
  return unmarked;
}

function isSoundRecord(read: () => SessionRow | undefined): boolean {
  try {
    const record = read();
    return record !== undefined && damageOf(record) === null;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

function* namesInIndex(database: DatabaseSync): Iterable<{ id: SessionId; row: number }> {
  const select = database.prepare(
    "select id, row from sessions indexed by sqlite_autoindex_sessions_1 order by id",
  );
  try {
    for (const row of select.iterate()) yield { id: row.id as SessionId, row: Number(row.row) };
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}
