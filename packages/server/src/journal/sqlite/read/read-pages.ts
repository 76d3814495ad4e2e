/** Reads a session's settled events: a limited number of pages per statement, each one verified. */

import type { DatabaseSync } from "node:sqlite";
import type { HostError, SessionId } from "@holdfast/protocol";
import type { Slice } from "../../journal.ts";
import { maxSliceBytes, maxSliceEvents } from "../../limits.ts";
import { skipLines, takeLines } from "../../lines.ts";
import * as no from "../../store-refusal.ts";
import { isWholePage, type PageRow } from "../file/pages.ts";
import { isDamage } from "../file/sqlite-error.ts";

export class PageReader {
  readonly #first;
  readonly #from;

  constructor(database: DatabaseSync) {
    this.#first = database.prepare(
      "select first_seq from pages where session = ? and first_seq <= ? order by first_seq desc limit 1",
    );
    this.#from = database.prepare(
      `select first_seq, count, chain, crc, bytes from pages
       where session = ? and first_seq >= ? order by first_seq limit 64`,
    );
  }

  /** Events after `after` up to `upTo`; throws `session_damaged` when the first is unreadable. */
  read(session: SessionId, row: number, after: number, upTo: number, limit: number): Slice {
    const parts: Uint8Array[] = [];
    const most = Math.min(limit, maxSliceEvents, upTo - after);
    let next = after + 1;
    let bytes = 0;
    try {
      for (const page of this.#pages(row, next)) {
        const skipped = next - page.first_seq;
        if (skipped < 0 || skipped >= page.count || !isWholePage(row, page)) break;
        const start = skipped === 0 ? 0 : skipLines(page.bytes, 0, skipped);
        const left = most - (next - after - 1);
        const isWholly =
          skipped === 0 && page.count <= left && bytes + page.bytes.length <= maxSliceBytes;
        const taken = isWholly
          ? { count: page.count, end: page.bytes.length }
          : takeLines(page.bytes, start, page.count - skipped, left, maxSliceBytes - bytes);
        if (taken.count === 0) break;
        parts.push(page.bytes.subarray(start, taken.end));
        bytes += taken.end - start;
        next += taken.count;
        if (
          next - after > most ||
          bytes >= maxSliceBytes ||
          (!isWholly && skipped + taken.count < page.count)
        )
          break;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    if (parts.length === 0) throw damaged(session, after);
    return { firstSeq: after + 1, count: next - after - 1, bytes: join(parts, bytes) };
  }

  *#pages(row: number, seq: number): Iterable<Omit<PageRow, "id">> {
    const first = this.#first.get(row, seq) as { first_seq: number } | undefined;
    if (first)
      yield* this.#from.iterate(row, first.first_seq) as unknown as Iterable<Omit<PageRow, "id">>;
  }
}

function damaged(session: SessionId, after: number): HostError {
  return no.refusalError(no.sessionDamaged(session, `event ${after + 1} cannot be read`, after));
}

/** Allocates a separate buffer, which can be transferred to the main thread without a copy. */
function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
