/** The writing side of the store, which the writer thread runs. No other code writes the file. */

import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import type { Base, Damage } from "../../journal.ts";
import * as no from "../../store-refusal.ts";
import { scanLog } from "../boot/scan-log.ts";
import { scanRecords } from "../boot/scan-records.ts";
import { baseCrc } from "../file/checksum.ts";
import { Log } from "../file/log.ts";
import { type SessionState, SessionStates } from "../file/session-state.ts";
import { isDiskFull } from "../file/sqlite-error.ts";
import { Checkpoints } from "./checkpoint.ts";
import { Erasures } from "./erase.ts";
import { GroupCommit } from "./group.ts";
import { type AckMessage, batchFields, type GroupMessage, resultFields } from "./messages.ts";
import { Settler } from "./settle.ts";
import type { Space } from "./space.ts";

/** Bytes per transaction while boot settles tails: quick, and fit for a nearly full disk. */
const bootSliceBytes = 1024 * 1024;

const idleSliceBytes = 256 * 1024;

export interface BootReport {
  readonly epoch: number;
  readonly sessions: number;
  readonly tails: number;
  readonly damages: readonly Damage[];
}

export class Store {
  readonly report: BootReport;
  readonly #database: DatabaseSync;
  readonly #space: Space;
  readonly #states: SessionStates;
  readonly #settler: Settler;
  readonly #checkpoints: Checkpoints;
  readonly #erasures: Erasures;
  readonly #groups: GroupCommit;

  constructor(database: DatabaseSync, space: Space) {
    this.#database = database;
    this.#space = space;
    this.#states = new SessionStates(database);
    this.#checkpoints = new Checkpoints(database);
    const log = new Log(database);
    this.#settler = new Settler(database, this.#states, log);
    this.#erasures = new Erasures(database, this.#states, this.#settler, log);
    const epoch = this.#essential(() => this.#nextEpoch());
    this.#groups = new GroupCommit(database, this.#states, log, this.#settler, epoch);
    const records = scanRecords(database, this.#states);
    if (records.canRemakeIndexes) this.#essential(() => database.exec("reindex sessions"));
    const { spent, damaged, unmarked } = scanLog(database, log, records.tails);
    const allDamaged = [...new Set([...records.damaged, ...damaged])];
    for (const state of allDamaged) this.#essential(() => this.#markDamaged(state));
    this.#settleAll([...records.tails.values()]);
    this.#essential(() => {
      for (const id of spent) log.delete(id);
    });
    const damages = [...allDamaged.map(damageReport), ...records.unmarked, ...unmarked];
    this.report = { epoch, sessions: records.sessions, tails: records.tails.size, damages };
  }

  commit(group: GroupMessage): AckMessage {
    try {
      return this.#groups.commit(group, this.#space.admission());
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
    this.#makeRoom();
    try {
      return this.#groups.commit(group, "essential");
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
    return refuseAll(group, no.journalFull());
  }

  /**
   * Runs after a group's answer was sent. The settling here is unsynced: the next commit's sync
   * covers it, and a power cut before that leaves the tails in the log.
   */
  afterGroup(bytes: number): Uint32Array<ArrayBuffer> {
    this.#checkpoints.afterCommit();
    if (!this.hasDue) return new Uint32Array(0);
    this.#database.exec("pragma synchronous = normal");
    try {
      return this.#settleDue(2 * bytes);
    } finally {
      this.#database.exec("pragma synchronous = full");
    }
  }

  putBase(session: SessionId, base: Base): void {
    const state = this.#find(session);
    if (base.seq > state.seq) throw no.refusalError(no.cursorAhead(session, base.seq, state.seq));
    this.#ordinary(() => {
      this.#database
        .prepare(
          `insert into bases (session, seq, chain, crc, state, transcript) values (?, ?, ?, ?, ?, ?)
           on conflict (session) do update set (seq, chain, crc, state, transcript) =
             (excluded.seq, excluded.chain, excluded.crc, excluded.state, excluded.transcript)
           where excluded.seq >= seq`,
        )
        .run(
          state.row,
          base.seq,
          base.chain,
          baseCrc(state.row, base),
          base.state,
          base.transcript,
        );
    });
  }

  /** Returns the settled pairs: the tail is settled first, because only pages can be trimmed. */
  trim(session: SessionId, upTo: number): Uint32Array<ArrayBuffer> {
    const state = this.#find(session);
    const base = this.#database.prepare("select seq from bases where session = ?").get(state.row);
    if (!base || Number(base.seq) < upTo) throw no.refusalError(no.noBase(session, upTo));
    const pairs = this.#settle([state]);
    if (upTo <= state.trimmedSeq) return pairs;
    this.#essential(() => this.#erasures.trim(state, upTo));
    state.trimmedSeq = upTo;
    state.lastPage = null;
    return pairs;
  }

  remove(session: SessionId): void {
    const state = this.#states.byId(session);
    if (!state || state.row === 0) return;
    const removed = this.#essential(() => this.#erasures.remove(state));
    removed();
  }

  /** A reader found bytes that fail their checksum: the session refuses writes from now on. */
  quarantine(session: SessionId, reason: string, readableTo: number | null): void {
    const state = this.#states.byId(session);
    if (!state || state.damage) return;
    state.damage = { reason, readableTo };
    this.#essential(() => this.#markDamaged(state));
  }

  eraseSlice(): boolean {
    return this.#essential(() => this.#erasures.next());
  }

  tick(): void {
    this.#settler.tick();
  }

  get hasDue(): boolean {
    return this.#settler.hasDue && !this.#space.isLow;
  }

  settleSlice(): Uint32Array<ArrayBuffer> {
    return this.#settleDue(idleSliceBytes);
  }

  whenIdle(): void {
    this.#checkpoints.whenIdle();
  }

  close(): void {
    try {
      if (!this.#space.isLow) this.#settleAll([...this.#states.tailed()]);
    } catch (error) {
      // On a full disk the tails stay in the log, from which the next boot restores them.
      if (!(error instanceof HostError)) throw error;
    }
    this.#checkpoints.truncate();
    this.#database.close();
  }

  /** On a full disk the tails stay in the log, from which every boot restores them. */
  #settleDue(share: number): Uint32Array<ArrayBuffer> {
    try {
      return this.#settler.committed(this.#transaction(() => this.#settler.settleShare(share)));
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#makeRoom();
      return new Uint32Array(0);
    }
  }

  #settleAll(states: readonly SessionState[]): void {
    let slice: SessionState[] = [];
    let bytes = 0;
    for (const state of states) {
      slice.push(state);
      bytes += state.tailBytes;
      if (bytes < bootSliceBytes && slice.length < 1000) continue;
      this.#settle(slice);
      this.#checkpoints.afterCommit();
      slice = [];
      bytes = 0;
    }
    this.#settle(slice);
  }

  #settle(states: readonly SessionState[]): Uint32Array<ArrayBuffer> {
    return this.#settler.committed(this.#essential(() => this.#settler.settle(states)));
  }

  #markDamaged({ row, damage }: SessionState): void {
    this.#database
      .prepare("update sessions set damage = ?, readable_to = ? where row = ?")
      .run(damage?.reason ?? null, damage?.readableTo ?? null, row);
  }

  #nextEpoch(): number {
    const row = this.#database.prepare("update meta set epoch = epoch + 1 returning epoch").get();
    return Number(row?.epoch);
  }

  #find(session: SessionId): SessionState {
    const state = this.#states.byId(session);
    if (!state) throw no.refusalError(no.sessionNotFound(session));
    if (!state.damage) return state;
    throw no.refusalError(no.sessionDamaged(session, state.damage.reason, state.damage.readableTo));
  }

  /** Runs in a transaction; a full disk is refused as `journal_full`. */
  #ordinary<T>(write: () => T): T {
    try {
      return this.#transaction(write);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#makeRoom();
      throw no.refusalError(no.journalFull());
    }
  }

  /** Runs in a transaction that may use the ballast's space. */
  #essential<T>(write: () => T): T {
    try {
      return this.#transaction(write);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#makeRoom();
    }
    return this.#ordinary(write);
  }

  #transaction<T>(write: () => T): T {
    try {
      this.#database.exec("begin immediate");
      const result = write();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  #makeRoom(): void {
    this.#space.ranOut();
    this.#checkpoints.truncate();
  }
}

function damageReport({ id, damage }: SessionState): Damage {
  return { session: id, reason: damage?.reason ?? "", readableTo: damage?.readableTo ?? null };
}

function refuseAll(group: GroupMessage, refusal: no.StoreRefusal): AckMessage {
  const batches = group.index.length / batchFields;
  return {
    results: new Uint32Array(batches * resultFields),
    refusals: Array.from({ length: batches }, (_, batch) => [batch, refusal] as const),
  };
}
