/** Pages: a session's settled events in pieces of about 16 KB, each with its checksum and chain. */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { countLines, skipLines } from "../../lines.ts";
import { type PageKey, pageCrc } from "./checksum.ts";
import type { LastPage, Piece, SessionState } from "./session-state.ts";

export const pageBytes = 16 * 1024;

/** A last page below this size is rewritten longer; above it, a new page is cheaper. */
const shortPageBytes = 8 * 1024;

/** The largest size of a page before its lines are split into several. */
const maxPageBytes = 2 * pageBytes;

export interface PageRow {
  readonly id: number;
  readonly first_seq: number;
  readonly count: number;
  readonly chain: number;
  readonly crc: number;
  readonly bytes: Uint8Array;
}

export interface Settlement {
  readonly seq: number;
  readonly chain: number;
  readonly lastPage: LastPage;
}

export class Pages {
  readonly #select;
  readonly #insert;
  readonly #replace;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare("select * from pages where id = ?");
    this.#insert = database.prepare(
      "insert into pages (session, first_seq, count, chain, crc, bytes) values (?, ?, ?, ?, ?, ?)",
    );
    this.#replace = database.prepare(
      "update pages set count = ?, chain = ?, crc = ?, bytes = ? where id = ?",
    );
  }

  /** Writes the first pieces of the session's tail after its settled events, in the open transaction. */
  settle(state: SessionState, pieces: readonly Piece[]): Settlement {
    const short = this.#shortLastPage(state);
    const parts = pieces.map(({ body, start, end }) => body.subarray(start, end));
    const bytes = Buffer.concat(short ? [short.bytes, ...parts] : parts);
    const seq = pieces.reduce((sum, { count }) => sum + count, state.settledSeq);
    const lastChain = pieces.at(-1)?.chain ?? state.settledChain;
    let firstSeq = short ? short.first_seq : state.settledSeq + 1;
    let left = seq + 1 - firstSeq;
    let chain = state.settledChain;
    let unchained = short ? short.bytes.length : 0;
    let lastPage: LastPage = { id: 0, firstSeq, size: 0 };
    let replaced = short?.id ?? 0;
    for (let start = 0; start < bytes.length; ) {
      const { count, end } = cutPage(bytes, start, left);
      const isLast = end === bytes.length;
      chain = isLast ? lastChain : crc32(bytes.subarray(start + unchained, end), chain);
      const page = bytes.subarray(start, end);
      const key = { session: state.row, firstSeq, count, chain };
      lastPage = { id: this.#write(key, page, replaced), firstSeq, size: page.length };
      unchained = 0;
      replaced = 0;
      firstSeq += count;
      left -= count;
      start = end;
    }
    return { seq, chain, lastPage };
  }

  #write(key: PageKey, bytes: Uint8Array, replaced: number): number {
    const crc = pageCrc(key, bytes);
    if (replaced > 0) {
      this.#replace.run(key.count, key.chain, crc, bytes, replaced);
      return replaced;
    }
    const { session, firstSeq, count, chain } = key;
    return Number(this.#insert.run(session, firstSeq, count, chain, crc, bytes).lastInsertRowid);
  }

  /** The last page, when it is sound and short enough to rewrite; readers report a damaged one. */
  #shortLastPage(state: SessionState): PageRow | null {
    const last = state.lastPage;
    if (!last || last.size >= shortPageBytes || last.firstSeq <= state.trimmedSeq) return null;
    const page = this.#select.get(last.id) as PageRow | undefined;
    return page && isWholePage(state.row, page) && page.chain === state.settledChain ? page : null;
  }
}

export function isWholePage(session: number, page: Omit<PageRow, "id">): boolean {
  const { first_seq: firstSeq, count, chain, crc, bytes } = page;
  return pageCrc({ session, firstSeq, count, chain }, bytes) === crc;
}

/** The next page's end: the end of all lines when they fit, else the first event end past `pageBytes`. */
function cutPage(bytes: Buffer, start: number, left: number): { count: number; end: number } {
  if (bytes.length - start <= maxPageBytes) return { count: left, end: bytes.length };
  const end = skipLines(bytes, Math.min(start + pageBytes, bytes.length - 1), 1);
  return { count: countLines(bytes.subarray(start, end)), end };
}
