/** The checksum of each kind of record, over its content and its key. */

import { crc32 } from "node:zlib";
import type { Base, Head } from "../../journal.ts";
import { rankOf } from "../../list-cursor.ts";

export function entriesCrc(id: number, entries: Uint8Array): number {
  return crcOf(entries, id >>> 0);
}

export const contentCrc = (content: Uint8Array | string): number => crcOf(content, 0);

/** A damaged database can return values of the wrong type; NaN matches no stored checksum. */
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

/** The same text computed in SQL, so that the boot scan checks 100,000 heads without building them. */
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
 * One term of a session's `facts_sum`, the xor of all its facts. A checksum per row would show a
 * changed fact, but not a missing one: a flipped bit in a key makes the fact disappear.
 */
export function factCrc(name: string, key: string, seq: number): number {
  return crc32(`${name}|${key}|${seq}`);
}

/** A holder counts once, however far its cursor moves; the cursor's number has its own checksum. */
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
