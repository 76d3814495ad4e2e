/** Moves tails from the log into pages: a share with each commit, and idle tails by a timer. */

import type { DatabaseSync } from "node:sqlite";
import { stateCrc } from "../file/checksum.ts";
import type { Log, Released } from "../file/log.ts";
import { Pages, pageBytes, type Settlement } from "../file/pages.ts";
import type { Piece, SessionState, SessionStates } from "../file/session-state.ts";

/** Large enough to keep up with any load, small enough for a commit's latency. */
const minShare = 64 * 1024;

/** Boot reads the whole log: this size limits the time it takes and the memory of tails. */
const maxLogBytes = 32 * 1024 * 1024;

/** Ticks without an append after which a tail counts as idle. */
const idleTicks = 2;

interface SettledTails {
  readonly settled: readonly {
    readonly state: SessionState;
    readonly pieces: readonly Piece[];
    readonly settlement: Settlement;
  }[];
  readonly released: Released;
}

export class Settler {
  readonly #states: SessionStates;
  readonly #log: Log;
  readonly #pages: Pages;
  readonly #update;
  readonly #count;
  #due: SessionState[] = [];
  #tick = 0;

  constructor(database: DatabaseSync, states: SessionStates, log: Log) {
    this.#states = states;
    this.#log = log;
    this.#pages = new Pages(database);
    this.#update = database.prepare(
      "update sessions set settled_seq = ?, settled_chain = ?, tail = ?, state_crc = ? where row = ?",
    );
    this.#count = database.prepare("update meta set settlements = settlements + 1");
  }

  get hasDue(): boolean {
    return this.#due.length > 0;
  }

  /** Call after a committed piece was added to a session's tail. */
  grown(state: SessionState): void {
    state.touched = this.#tick;
    if (state.tailBytes >= pageBytes) this.#makeDue(state);
  }

  /** Call about once a second: idle tails become due, and all tails when the log is too long. */
  tick(): void {
    this.#tick++;
    const isLong = this.#log.bytes > maxLogBytes;
    for (const state of this.#states.tailed()) {
      if (isLong || this.#tick - state.touched >= idleTicks) this.#makeDue(state);
    }
  }

  /** Settles due tails of about `share` bytes inside the open transaction. */
  settleShare(share: number): SettledTails {
    const pressed = this.#log.bytes > maxLogBytes ? 4 : 1;
    let budget = Math.max(minShare, share) * pressed;
    const chosen: SessionState[] = [];
    for (const state of this.#due) {
      if (budget <= 0) break;
      budget -= state.tailBytes;
      chosen.push(state);
    }
    return this.#settle(chosen, (state) => this.#settledPieces(state));
  }

  settle(states: readonly SessionState[]): SettledTails {
    return this.#settle(states, ({ tail }) => tail.slice());
  }

  #settle(states: readonly SessionState[], choose: (state: SessionState) => Piece[]): SettledTails {
    const settled = states
      .filter((state) => state.tail.length > 0)
      .map((state) => {
        const pieces = choose(state);
        return { state, pieces, settlement: this.#settleOne(state, pieces) };
      });
    if (settled.length > 0) this.#count.run();
    return { settled, released: this.#log.release(settled.flatMap(({ pieces }) => pieces)) };
  }

  /** A busy session keeps its newest piece, so that its record need not change: it still has a tail. */
  #settledPieces({ tail, touched }: SessionState): Piece[] {
    const isBusy = this.#tick - touched < idleTicks;
    return isBusy && tail.length > 1 ? tail.slice(0, -1) : tail.slice();
  }

  /** After the commit: drops the pieces that are in pages now; pairs of row and settled seq. */
  committed({ settled, released }: SettledTails): Uint32Array<ArrayBuffer> {
    const pairs = new Uint32Array(settled.length * 2);
    settled.forEach(({ state, settlement, pieces }, i) => {
      for (const { start, end } of state.tail.splice(0, pieces.length))
        state.tailBytes -= end - start;
      state.settledSeq = settlement.seq;
      state.settledChain = settlement.chain;
      state.lastPage = settlement.lastPage;
      state.isDue = false;
      pairs[2 * i] = state.row;
      pairs[2 * i + 1] = settlement.seq;
    });
    this.#log.releaseCommitted(released);
    if (settled.length > 0) this.#due = this.#due.filter((state) => state.isDue);
    return pairs;
  }

  /** Releases a deleted session's part of the log in the open transaction. */
  forget(state: SessionState): Released {
    state.isDue = false;
    this.#due = this.#due.filter((due) => due !== state);
    return this.#log.release(state.tail);
  }

  #settleOne(state: SessionState, pieces: readonly Piece[]): Settlement {
    const settlement = this.#pages.settle(state, pieces);
    const { seq: settledSeq, chain: settledChain } = settlement;
    const tail = state.seq > settledSeq;
    const crc = stateCrc({ ...state, settledSeq, settledChain }, tail);
    this.#update.run(settledSeq, settledChain, Number(tail), crc, state.row);
    return settlement;
  }

  #makeDue(state: SessionState): void {
    if (state.isDue) return;
    state.isDue = true;
    this.#due.push(state);
  }
}
