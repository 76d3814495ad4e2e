/**
 * A group commit: all batches that arrived during the previous sync, in one transaction. Each batch
 * is checked before any of its rows is written, so a refused batch leaves no rows and does not
 * affect the others.
 */

import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import * as no from "../../store-refusal.ts";
import { entryFields, type Log } from "../file/log.ts";
import type { SessionState, SessionStates } from "../file/session-state.ts";
import { BatchRules } from "./batch-rules.ts";
import {
  type AckMessage,
  batchField,
  batchFields,
  type GroupMessage,
  resultFields,
} from "./messages.ts";
import type { Settler } from "./settle.ts";

interface Accepted {
  readonly batch: number;
  readonly state: SessionState;
  readonly firstSeq: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
  readonly chain: number;
}

/** The batches of a group that may be written: all, or only essential ones while the disk is full. */
export type Admission = "all" | "essential";

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #rules: BatchRules;
  readonly #log: Log;
  readonly #settler: Settler;
  readonly #epoch: number;
  readonly #selectEpoch;

  constructor(
    database: DatabaseSync,
    states: SessionStates,
    log: Log,
    settler: Settler,
    epoch: number,
  ) {
    this.#database = database;
    this.#rules = new BatchRules(database, states);
    this.#log = log;
    this.#settler = settler;
    this.#epoch = epoch;
    this.#selectEpoch = database.prepare("select epoch from meta");
  }

  /** On an SQLite error, rolls back the transaction and the state in memory, then rethrows. */
  commit(group: GroupMessage, admission: Admission): AckMessage {
    const refusals: [number, no.StoreRefusal][] = [];
    let accepted: Accepted[] = [];
    let body: Uint8Array;
    try {
      this.#database.exec("begin immediate");
      accepted = this.#decide(group, admission, refusals);
      body = refusals.length === 0 ? group.body : compact(group.body, accepted);
      if (body.length > 0) this.#log.write(entriesOf(accepted), body);
      this.#database.exec("commit");
    } catch (error) {
      this.#rules.rolledBack();
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
    return this.#apply(group, accepted, refusals, body);
  }

  #decide(
    group: GroupMessage,
    admission: Admission,
    refusals: [number, no.StoreRefusal][],
  ): Accepted[] {
    const { index, body, extras } = group;
    const { epoch } = this.#selectEpoch.get() as { epoch: number };
    const stale = epoch === this.#epoch ? null : no.fenced(this.#epoch, epoch);
    const accepted: Accepted[] = [];
    let start = 0;
    for (let at = 0, batch = 0; at < index.length; at += batchFields, batch++) {
      const bytes = index[at + batchField.bytes] as number;
      const end = start + bytes;
      const count = index[at + batchField.count] as number;
      const expectedSeq = index[at + batchField.expectedSeq] as number;
      const row = index[at + batchField.row] as number;
      const extra = extras[(index[at + batchField.extra] as number) - 1];
      const isAdmitted = admission === "all" || index[at + batchField.essential] === 1;
      const found =
        stale ?? (isAdmitted ? this.#rules.check(row, expectedSeq, extra) : no.journalFull());
      if ("code" in found) refusals.push([batch, found]);
      else {
        const state = this.#rules.write(found, count, extra);
        if (bytes > 0) state.nextChain = crc32(body.subarray(start, end), state.nextChain);
        const chain = state.nextChain;
        accepted.push({ batch, state, firstSeq: expectedSeq + 1, count, start, end, chain });
      }
      start = end;
    }
    return accepted;
  }

  #apply(
    group: GroupMessage,
    accepted: readonly Accepted[],
    refusals: [number, no.StoreRefusal][],
    body: Uint8Array,
  ): AckMessage {
    const results = new Uint32Array((group.index.length / batchFields) * resultFields);
    const log = this.#log.nextId;
    let pieces = 0;
    let start = 0;
    for (const { batch, state, count, chain, start: from, end: to } of accepted) {
      const end = start + (to - from);
      state.seq += count;
      state.chain = chain;
      if (count > 0) {
        state.tail.push({ body, start, end, count, chain, log });
        state.tailBytes += end - start;
        this.#settler.grown(state);
        pieces++;
      }
      results[batch * resultFields] = state.row;
      results[batch * resultFields + 1] = chain;
      start = end;
    }
    if (pieces > 0) this.#log.committed(pieces, body.length);
    this.#rules.committed();
    return { results, refusals };
  }
}

function entriesOf(accepted: readonly Accepted[]): Uint32Array {
  const entries = new Uint32Array(accepted.length * entryFields);
  let at = 0;
  for (const { state, firstSeq, count, start, end } of accepted) {
    if (count === 0) continue;
    entries[at++] = state.row;
    entries[at++] = firstSeq;
    entries[at++] = count;
    entries[at++] = end - start;
  }
  return entries.subarray(0, at);
}

function compact(body: Uint8Array, accepted: readonly Accepted[]): Uint8Array {
  return Buffer.concat(accepted.map(({ start, end }) => body.subarray(start, end)));
}
