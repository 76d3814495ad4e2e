/** Writes salvaged sessions into a new journal: for each, the longest dense run of events. */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { SessionId } from "@holdfast/protocol";
import { skipLines } from "../../lines.ts";
import { needOfRank } from "../../list-cursor.ts";
import { cursorCrc, headCrc, pageCrc, stateCrc } from "../file/checksum.ts";
import { FactSums } from "../file/fact-sums.ts";
import type { Row, Run, SalvagedSession } from "./salvage.ts";

export interface SessionRepair {
  readonly session: SessionId;
  /** Events `from` … `to` are in the new journal; `to` < `from` for an empty range. */
  readonly kept: { readonly from: number; readonly to: number };
  /** Events that existed and are missing in the new journal; null when all are there. */
  readonly lost: { readonly from: number; readonly to: number } | null;
  /** The session's record was unreadable; the new one lacks its title and owner. */
  readonly isHeadLost: boolean;
}

/** The head of a session of which only the id could be read; `open` makes recovery check it. */
const lostHead = {
  tenant: "",
  title: "Recovered session",
  agentName: "",
  lifecycle: "active",
  status: "idle",
  open: true,
  dueAt: null,
  createdAt: 0,
  updatedAt: 0,
};

export class Rebuild {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync, epoch: number | null) {
    this.#database = database;
    // An unknown epoch is replaced by one that is certainly higher than any count of boots.
    const next = epoch ?? Math.floor(Date.now() / 1000);
    database.prepare("update meta set epoch = ?").run(next);
  }

  add(session: SalvagedSession): SessionRepair {
    const { row, id, record, base, runs } = session;
    const trimmed = Number(record?.trimmed_seq ?? 0);
    const known = Math.max(Number(record?.settled_seq ?? 0), trimmed, lastSeq(runs));
    if (row === null) {
      const lost = { from: 1, to: Math.max(known, 1) };
      return { session: id, kept: { from: 1, to: 0 }, lost, isHeadLost: record === null };
    }
    const baseSeq = Number(base?.seq ?? 0);
    const fromTrimmed = dense(runs, trimmed);
    const fromBase = dense(runs, baseSeq);
    // A gap below the base is no loss, because the base replaces those events.
    const start = baseSeq > fromTrimmed.seq ? baseSeq : trimmed;
    const taken = start === trimmed ? fromTrimmed : fromBase;
    // A session without a single readable event is reported and dropped.
    const isGone = taken.seq === 0;
    if (!isGone) {
      const chain = this.#writePages(row, start, startChain(session, start), taken.runs);
      this.#writeRest(session, taken.seq);
      this.#writeRecord(row, session, start, taken.seq, chain);
    }
    const last = isGone ? Math.max(known, 1) : known;
    const lost = last > taken.seq ? { from: taken.seq + 1, to: last } : null;
    return {
      session: id,
      kept: { from: start + 1, to: taken.seq },
      lost,
      isHeadLost: record === null,
    };
  }

  #writePages(session: number, start: number, startChain: number, runs: readonly Run[]): number {
    const insert = this.#database.prepare(
      "insert into pages (session, first_seq, count, chain, crc, bytes) values (?, ?, ?, ?, ?, ?)",
    );
    let seq = start;
    let chain = startChain;
    for (const run of runs) {
      const overlap = seq + 1 - run.firstSeq;
      const all = run.read();
      const bytes = overlap > 0 ? all.subarray(skipLines(all, 0, overlap)) : all;
      const count = run.count - overlap;
      const firstSeq = seq + 1;
      chain = crc32(bytes, chain);
      insert.run(
        session,
        firstSeq,
        count,
        chain,
        pageCrc({ session, firstSeq, count, chain }, bytes),
        bytes,
      );
      seq += count;
    }
    return chain;
  }

  #writeRecord(
    row: number,
    { id, record }: SalvagedSession,
    trimmed: number,
    seq: number,
    chain: number,
  ): void {
    const text = (column: string, otherwise: string) => String(record?.[column] ?? otherwise);
    const head = {
      tenant: text("tenant", lostHead.tenant),
      title: text("title", lostHead.title),
      agentName: text("agent", lostHead.agentName),
      lifecycle: text("lifecycle", lostHead.lifecycle),
      status: text("status", lostHead.status),
      open: record ? record.open === 1 : lostHead.open,
      dueAt: record?.due_at == null ? null : Number(record.due_at),
      createdAt: Number(record?.created_at ?? lostHead.createdAt),
      updatedAt: Number(record?.updated_at ?? lostHead.updatedAt),
      ...(record?.need == null ? {} : { need: needOfRank(Number(record.need)) }),
    };
    const factsSum = new FactSums(this.#database).sumOf(row);
    const state = { row, id, settledSeq: seq, settledChain: chain, trimmedSeq: trimmed, factsSum };
    this.#insert("sessions", {
      row,
      id,
      tenant: head.tenant,
      title: head.title,
      folded_title: head.title.toLowerCase(),
      agent: head.agentName,
      lifecycle: head.lifecycle,
      status: head.status,
      open: Number(head.open),
      due_at: head.dueAt,
      created_at: head.createdAt,
      updated_at: head.updatedAt,
      need: record?.need == null ? null : Number(record.need),
      head_crc: headCrc(id, head),
      settled_seq: seq,
      settled_chain: chain,
      trimmed_seq: trimmed,
      facts_sum: factsSum,
      tail: 0,
      state_crc: stateCrc(state, false),
    });
  }

  /** Leaves out facts whose event is lost, and a base that lies beyond the kept events. */
  #writeRest({ base, facts, cursors }: SalvagedSession, seq: number): void {
    if (base && Number(base.seq) <= seq) this.#insert("bases", base);
    for (const fact of facts) if (Number(fact.seq) <= seq) this.#insert("facts", fact);
    for (const cursor of cursors) if (isWholeCursor(cursor)) this.#insert("cursors", cursor);
  }

  #insert(table: string, row: Row): void {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    this.#database
      .prepare(`insert or ignore into ${table} (${columns.join(", ")}) values (${places})`)
      .run(...Object.values(row));
  }
}

/** A cursor that may be wrong is dropped; its holder then sends its unconfirmed frames again. */
function isWholeCursor({ session, holder, n, crc }: Row): boolean {
  return cursorCrc(Number(session), String(holder), Number(n)) === crc;
}

function lastSeq(runs: readonly Run[]): number {
  return Math.max(0, ...runs.map(({ firstSeq, count }) => firstSeq + count - 1));
}

/** The runs that follow `start` without a gap; pages and log may hold the same events. */
function dense(runs: readonly Run[], start: number): { seq: number; runs: Run[] } {
  const taken: Run[] = [];
  let seq = start;
  for (const run of runs) {
    if (run.firstSeq > seq + 1) break;
    if (run.firstSeq + run.count - 1 <= seq) continue;
    taken.push(run);
    seq = run.firstSeq + run.count - 1;
  }
  return { seq, runs: taken };
}

/** The chain over all events up to `start`. Those events are trimmed, so the base holds the only copy. */
function startChain({ base }: SalvagedSession, start: number): number {
  return start > 0 && base && Number(base.seq) === start ? Number(base.chain) : 0;
}
