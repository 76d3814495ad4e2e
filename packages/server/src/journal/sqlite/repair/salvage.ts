/** Reads all sound records from a damaged journal. */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { SessionId } from "@holdfast/protocol";
import {
  baseCrc,
  contentCrc,
  entriesCrc,
  headContent,
  pageCrc,
  type StateColumns,
  stateCrc,
} from "../file/checksum.ts";
import { entriesIn, type LogRow } from "../file/log.ts";
import type { PageRow } from "../file/pages.ts";
import { type KeyRange, readableRows } from "../file/readable-rows.ts";
import { isDamage } from "../file/sqlite-error.ts";

export type Row = Record<string, string | number | null>;

/** The location of some of a session's events in the damaged file. */
export interface Run {
  readonly firstSeq: number;
  readonly count: number;
  readonly read: () => Uint8Array;
}

export interface SalvagedSession {
  /** null when the row cannot be told, and so none of its events. */
  readonly row: number | null;
  readonly id: SessionId;
  /** null when the record is unreadable or fails its checksum: only its id is known. */
  readonly record: Row | null;
  readonly base: Row | null;
  readonly runs: readonly Run[];
  readonly facts: readonly Row[];
  readonly cursors: readonly Row[];
}

interface Named extends Pick<SalvagedSession, "id" | "record"> {
  readonly row: number;
}

interface SalvagedPage extends PageRow {
  readonly session: number;
}

export class Salvage {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  epoch(): number | null {
    const epoch = this.#attempt(
      () => this.#database.prepare("select epoch from meta").get()?.epoch,
    );
    return typeof epoch === "number" ? epoch : null;
  }

  *sessions(): Iterable<SalvagedSession> {
    const runs = this.#runs();
    const { named, unplaced } = this.#named();
    for (const { row, id, record } of named) {
      yield {
        row,
        id,
        record,
        base: this.#base(row),
        runs: (runs.get(row) ?? []).sort((a, b) => a.firstSeq - b.firstSeq),
        facts: this.#all("select * from facts where session = ?", row),
        cursors: this.#all("select * from cursors where session = ?", row),
      };
    }
    for (const [id, record] of unplaced) {
      yield { row: null, id, record, base: null, runs: [], facts: [], cursors: [] };
    }
  }

  /** Sessions by their row. `unplaced` are those whose row, and so whose events, cannot be told. */
  #named(): { named: Iterable<Named>; unplaced: ReadonlyMap<SessionId, Row | null> } {
    const indexed = this.#indexed();
    const named = new Map<number, Named>();
    const unplaced = new Map<SessionId, Row | null>();
    const known = new Set<string>();
    const add = (row: number | null, id: SessionId, record: Row | null) => {
      known.add(id);
      if (row !== null && !named.has(row)) named.set(row, { row, id, record });
      else unplaced.set(id, record);
    };
    const columns = `*, ${headContent} as head_content`;
    for (const record of this.#rows<Row>("sessions", "row", columns)) {
      if (crc32(String(record.head_content)) !== record.head_crc) continue;
      const id = String(record.id) as SessionId;
      add(certainRow(record, indexed.get(id)), id, record);
    }
    for (const [id, row] of indexed) if (!known.has(id)) add(row, id, null);
    for (const { id } of named.values()) unplaced.delete(id);
    const inOrder = [...named.values()].sort((a, b) => a.row - b.row);
    return { named: inOrder, unplaced };
  }

  /** The rows of session ids, from the index over ids: it also knows sessions with unreadable records. */
  #indexed(): Map<SessionId, number> {
    const sql = "select row, id from sessions indexed by sqlite_autoindex_sessions_1";
    return new Map(this.#all(sql).map(({ row, id }) => [String(id) as SessionId, Number(row)]));
  }

  #runs(): Map<number, Run[]> {
    const runs = new Map<number, Run[]>();
    const add = (session: number, run: Run) => {
      const known = runs.get(session);
      if (known) known.push(run);
      else runs.set(session, [run]);
    };
    const select = this.#database.prepare("select bytes from pages where id = ?");
    for (const page of this.#rows<SalvagedPage>("pages", "id")) {
      const { id, session, first_seq: firstSeq, count, chain } = page;
      if (pageCrc({ session, firstSeq, count, chain }, page.bytes) !== page.crc) continue;
      add(session, { firstSeq, count, read: () => select.get(id)?.bytes as Uint8Array });
    }
    for (const row of this.#rows<LogRow>("log", "id")) {
      const isWhole = entriesCrc(row.id, row.entries) === row.entries_crc;
      if (!isWhole || contentCrc(row.body) !== row.body_crc) continue;
      let start = 0;
      for (const { session, firstSeq, count, bytes } of entriesIn(row.entries)) {
        const lines = row.body.subarray(start, start + bytes);
        add(session, { firstSeq, count, read: () => lines });
        start += bytes;
      }
    }
    return runs;
  }

  #base(row: number): Row | null {
    const base = this.#all("select * from bases where session = ?", row)[0];
    if (!base) return null;
    const content = {
      seq: Number(base.seq),
      chain: Number(base.chain),
      state: String(base.state),
      transcript: String(base.transcript),
    };
    return baseCrc(row, content) === base.crc ? base : null;
  }

  #rows<T>(table: string, key: string, columns = "*"): Iterable<T> {
    const select = this.#database.prepare(
      `select ${columns} from ${table} where ${key} between ? and ? order by ${key} limit ?`,
    );
    const source = {
      select: (from: number, to: number, limit: number) =>
        select.all(from, to, Math.min(limit, 64)) as unknown as T[],
      key: (row: T) => Number((row as Record<string, unknown>)[key]),
      lost: () => {},
    };
    return readableRows(source, this.#range(table, key));
  }

  /** The last key lies on the rightmost page. When that page is damaged, any key may exist. */
  #range(table: string, key: string): KeyRange {
    const last = this.#attempt(() =>
      this.#database.prepare(`select max(${key}) as key from ${table}`).get(),
    );
    const sequence = this.#attempt(() =>
      this.#database.prepare("select max(seq) as key from sqlite_sequence").get(),
    );
    const guess = Math.max(Number(sequence?.key ?? 0), 1 << 22);
    return { from: 1, to: last ? Number(last.key ?? 0) : guess };
  }

  #all(sql: string, ...values: number[]): Row[] {
    const rows: Row[] = [];
    this.#attempt(() => {
      for (const row of this.#database.prepare(sql).iterate(...values)) rows.push(row as Row);
    });
    return rows;
  }

  #attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      return undefined;
    }
  }
}

/**
 * The row of a session, which its events are stored under. A flipped bit in a record's row would give
 * the session the events of another, so the row must agree with the checksum of the record's state or
 * with the index over ids. Null when neither confirms it.
 */
function certainRow(record: Row, indexed: number | undefined): number | null {
  const row = Number(record.row);
  const isConfirmed = (candidate: number) =>
    stateCrc({ ...stateOf(record), row: candidate }, record.tail === 1) === record.state_crc;
  if (isConfirmed(row) || indexed === row) return row;
  return indexed !== undefined && isConfirmed(indexed) ? indexed : null;
}

function stateOf(record: Row): StateColumns {
  return {
    row: Number(record.row),
    id: String(record.id),
    settledSeq: Number(record.settled_seq),
    settledChain: Number(record.settled_chain),
    trimmedSeq: Number(record.trimmed_seq),
    factsSum: Number(record.facts_sum),
  };
}
