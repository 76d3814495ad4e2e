/** The log: one row per group commit, kept until the last session in it has been settled. */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { entriesCrc } from "./checksum.ts";
import type { Piece } from "./session-state.ts";

export const entryFields = 4;

export interface LogRow {
  readonly id: number;
  readonly entries: Uint8Array;
  readonly entries_crc: number;
  readonly body_crc: number;
  readonly body: Uint8Array;
}

export class Log {
  /** Per log row: its size and the number of its unsettled batches. */
  readonly #kept = new Map<number, { unsettled: number; bytes: number }>();
  readonly #insert;
  readonly #delete;
  #lastId: number;
  #bytes = 0;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      "insert into log (id, entries, entries_crc, body_crc, body) values (?, ?, ?, ?, ?)",
    );
    this.#delete = database.prepare("delete from log where id = ?");
    const last = database.prepare("select max(id) as id from log").get() as { id: number | null };
    this.#lastId = last.id ?? 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  write(entries: Uint32Array, body: Uint8Array): void {
    const id = this.nextId;
    const bytes = new Uint8Array(entries.buffer, entries.byteOffset, entries.byteLength);
    this.#insert.run(id, bytes, entriesCrc(id, bytes), crc32(body), body);
  }

  committed(batches: number, bytes: number): void {
    this.keep(++this.#lastId, batches, bytes);
  }

  keep(id: number, batches: number, bytes: number): void {
    this.#kept.set(id, { unsettled: batches, bytes });
    this.#bytes += bytes;
  }

  delete(id: number): void {
    this.#delete.run(id);
  }

  /** Deletes the rows whose last unsettled batches are these pieces, inside the open transaction. */
  release(pieces: Iterable<Piece>): Released {
    const released: Released = new Map();
    for (const { log } of pieces) {
      const count = (released.get(log) ?? 0) + 1;
      released.set(log, count);
      if (this.#kept.get(log)?.unsettled === count) this.#delete.run(log);
    }
    return released;
  }

  releaseCommitted(released: Released): void {
    for (const [id, count] of released) {
      const kept = this.#kept.get(id);
      if (!kept) continue;
      kept.unsettled -= count;
      if (kept.unsettled > 0) continue;
      this.#kept.delete(id);
      this.#bytes -= kept.bytes;
    }
  }
}

export type Released = Map<number, number>;

export function* entriesIn(bytes: Uint8Array) {
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = (i: number) => numbers.getUint32(4 * i, true);
  for (let i = 0; i < bytes.byteLength / 4; i += entryFields) {
    yield { session: at(i), firstSeq: at(i + 1), count: at(i + 2), bytes: at(i + 3) };
  }
}
