/** The checksums of each kind of record: over its content and over the key it stands under. */

import { crc32 } from "node:zlib";
import type { Base, Head } from "../journal.ts";
import { rankOf } from "../list-cursor.ts";

export function entriesCrc(id: number, entries: Uint8Array): number {
  return crcOf(entries, id >>> 0);
}

export const contentCrc = (content: Uint8Array | string): number => crcOf(content, 0);

/** A damaged database gives values of any type where it promised another: those have no checksum. */
function crcOf(content: Uint8Array | string, before: number): number {
  const isContent = typeof content === "string" || content instanceof Uint8Array;
  return isContent && !Number.isNaN(before) ? crc32(content, before) : Number.NaN;
}

export interface PageKey {
  readonly session: number;
  readonly firstSeq: number;
  readonly count: number;
  readonly chain: number;
}

export function pageCrc({ session, firstSeq, count, chain }: PageKey, bytes: Uint8Array): number {
  return crcOf(bytes, crc32(`${session} ${firstSeq} ${count} ${chain}`));
}

export function baseCrc(session: number, { seq, chain, state, transcript }: Base): number {
  return crcOf(transcript, crcOf(state, crc32(`${session} ${seq} ${chain}`)));
}

export function headCrc(id: string, head: Head): number {
  const need = head.need === undefined ? "" : `|${rankOf(head.need)}`;
  return crc32(
    `${id}|${head.tenant}|${head.title}|${head.agentName}|${head.lifecycle}|${head.status}|${Number(head.open)}|${head.dueAt ?? ""}|${head.createdAt}|${head.updatedAt}${need}`,
  );
}

/** The same text as SQL makes it, so that the boot scan checks 100,000 heads without building them. */
export const headContent =
  "id||'|'||tenant||'|'||title||'|'||agent||'|'||lifecycle||'|'||status||'|'||open||'|'||ifnull(due_at,'')||'|'||created_at||'|'||updated_at||ifnull('|'||need,'')";

export interface StateColumns {
  readonly row: number;
  readonly id: string;
  readonly settledSeq: number;
  readonly settledChain: number;
  readonly trimmedSeq: number;
  readonly factsSum: number;
}

/**
 * One term of a session's `facts_sum`, which is all of them xored. A row of its own checksum could
 * say that a fact changed, but not that one is missing: a flipped key is a fact that never was.
 */
export function factCrc(name: string, key: string, seq: number): number {
  return crc32(`${name}|${key}|${seq}`);
}

/** A cursor counts once, by its holder: its number moves with every frame and has a crc of its own. */
export function holderCrc(holder: string): number {
  return crc32(`cursor|${holder}`);
}

export function cursorCrc(session: number, holder: string, n: number): number {
  return crc32(`${session}|${holder}|${n}`);
}

export function stateCrc(state: StateColumns, tail: boolean): number {
  const { row, id, settledSeq, settledChain, trimmedSeq, factsSum } = state;
  return crc32(
    `${row}|${id}|${settledSeq}|${settledChain}|${trimmedSeq}|${factsSum}|${Number(tail)}`,
  );
}

export const stateContent =
  "row||'|'||id||'|'||settled_seq||'|'||settled_chain||'|'||trimmed_seq||'|'||facts_sum||'|'||tail";
