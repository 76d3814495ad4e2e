/** Scans the log at boot: rebuilds tails from it, and names the sessions whose events it lost. */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Damage } from "../../journal.ts";
import { contentCrc, entriesCrc } from "../file/checksum.ts";
import { entriesIn, type Log, type LogRow } from "../file/log.ts";
import { type KeyRange, lastKey, readableRows } from "../file/readable-rows.ts";
import type { SessionState } from "../file/session-state.ts";

interface LogScan {
  /** Log rows that are sound and hold only settled batches. */
  readonly spent: readonly number[];
  readonly damaged: readonly SessionState[];
  /** Damage that cannot be attributed to a session. */
  readonly unmarked: readonly Damage[];
}

export function scanLog(
  database: DatabaseSync,
  log: Log,
  tails: ReadonlyMap<number, SessionState>,
): LogScan {
  const unmarked: Damage[] = [];
  const spent: number[] = [];
  /** The last log row whose sessions are unknown: tails that end before it may have continued in it. */
  let doubtful = 0;
  const doubt = (id: number, why: string) => {
    doubtful = id;
    unmarked.push({ session: null, reason: `log row ${id} ${why}`, readableTo: null });
  };
  const select = database.prepare("select * from log where id between ? and ? order by id limit ?");
  const source = {
    // A row holds up to a whole group of bodies, so few rows at a time keep memory low.
    select: (from: number, to: number, limit: number) =>
      select.all(from, to, Math.min(limit, 16)) as unknown as LogRow[],
    key: (row: LogRow) => row.id,
    lost: ({ to }: KeyRange) => doubt(to, "lies on an unreadable page"),
  };
  for (const row of readableRows(source, { from: 1, to: lastKey(database, "log", "id") })) {
    if (entriesCrc(row.id, row.entries) !== row.entries_crc) {
      doubt(row.id, "fails the checksum of its index");
      continue;
    }
    const isWhole = contentCrc(row.body) === row.body_crc;
    const pieces = isWhole ? addPieces(row, tails) : breakTails(row, tails);
    if (pieces > 0) log.keep(row.id, pieces, row.body.length);
    else if (isWhole) spent.push(row.id);
  }
  const damaged: SessionState[] = [];
  for (const state of tails.values()) {
    state.damage ??= missingTail(state, doubtful);
    if (state.damage) damaged.push(state);
  }
  return { spent, damaged, unmarked };
}

function addPieces(row: LogRow, tails: ReadonlyMap<number, SessionState>): number {
  let pieces = 0;
  let start = 0;
  for (const { session, firstSeq, count, bytes } of entriesIn(row.entries)) {
    const end = start + bytes;
    const state = tails.get(session);
    if (state && !state.damage && firstSeq > state.settledSeq) {
      if (firstSeq === state.seq + 1) {
        append(state, row, start, end, count);
        pieces++;
      } else {
        state.damage = {
          reason: `events ${state.seq + 1} to ${firstSeq - 1} are lost`,
          readableTo: state.seq,
        };
      }
    }
    start = end;
  }
  return pieces;
}

function append(state: SessionState, row: LogRow, start: number, end: number, count: number): void {
  const { id: log, body } = row;
  const chain = crc32(body.subarray(start, end), state.chain);
  state.tail.push({ body, start, end, count, chain, log });
  state.tailBytes += end - start;
  state.seq = state.nextSeq = state.seq + count;
  state.chain = state.nextChain = chain;
}

/** The row's index is sound but its body is damaged: the sessions it names end before this row. */
function breakTails(row: LogRow, tails: ReadonlyMap<number, SessionState>): number {
  for (const { session, firstSeq } of entriesIn(row.entries)) {
    const state = tails.get(session);
    if (!state || firstSeq <= state.settledSeq) continue;
    state.damage ??= { reason: `event ${firstSeq} fails its checksum`, readableTo: state.seq };
  }
  return 0;
}

function missingTail(state: SessionState, doubtful: number): SessionState["damage"] {
  const last = state.tail.at(-1);
  if (!last) return { reason: "its last events are lost", readableTo: state.seq };
  if (last.log > doubtful) return null;
  return { reason: "a log row that may hold its last events is unreadable", readableTo: state.seq };
}
