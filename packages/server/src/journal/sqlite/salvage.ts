/** Reads all sound records from a damaged journal. */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { SessionId } from "@holdfast/protocol";
import { baseCrc, contentCrc, entriesCrc, headContent, pageCrc } from "./checksum.ts";
import { entriesIn, type LogRow } from "./log.ts";
import type { PageRow } from "./pages.ts";
import { type KeyRange, readableRows } from "./readable-rows.ts";
import { isDamage } from "./sqlite-error.ts";

export type Row = Record<string, string | number | null>;

/** The location of some of a session's events in the damaged file. */
export interface Run {
  readonly firstSeq: number;
  readonly count: number;
  readonly read: () => Uint8Array;
}

export interface SalvagedSession {
  readonly row: number;
  readonly id: SessionId;
  /** null when the record is unreadable or fails its checksum: only its id is known. */
  readonly record: Row | null;
  readonly base: Row | null;
  readonly runs: readonly Run[];
  readonly facts: readonly Row[];
  readonly cursors: readonly Row[];
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
    const records = new Map<number, Row>();
    for (const record of this.#rows<Row>("sessions", "row", `*, ${headContent} as head_content`)) {
      if (crc32(String(record.head_content)) === record.head_crc)
        records.set(Number(record.row), record);
    }
    const names = this.#names(records);
    for (const [row, id] of names) {
      yield {
        row,
        id,
        record: records.get(row) ?? null,
        base: this.#base(row),
        runs: (runs.get(row) ?? []).sort((a, b) => a.firstSeq - b.firstSeq),
        facts: this.#all("select * from facts where session = ?", row),
        cursors: this.#all("select * from cursors where session = ?", row),
      };
    }
  }

  /** Session ids from the records, and from the index over ids for unreadable records. */
  #names(records: ReadonlyMap<number, Row>): Map<number, SessionId> {
    const names = new Map<number, SessionId>();
    const indexed = this.#all(
      "select row, id from sessions indexed by sqlite_autoindex_sessions_1",
    );
    for (const { row, id } of indexed) names.set(Number(row), String(id) as SessionId);
    for (const [row, { id }] of records) names.set(row, String(id) as SessionId);
    return names;
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
