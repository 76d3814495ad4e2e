/** The writer's state of a session between commits, loaded on first use. */

import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "@holdfast/protocol";
import { contentCrc, headContent, stateContent } from "./checksum.ts";
import { FactSums } from "./fact-sums.ts";

/** One batch's lines, durable in the log and not yet in pages. */
export interface Piece {
  readonly body: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly chain: number;
  readonly log: number;
}

export interface LastPage {
  readonly id: number;
  readonly firstSeq: number;
  readonly size: number;
}

export interface SessionState {
  readonly row: number;
  readonly id: SessionId;
  seq: number;
  chain: number;
  /** The head inside the open transaction; equal to the durable one outside. */
  nextSeq: number;
  nextChain: number;
  settledSeq: number;
  settledChain: number;
  trimmedSeq: number;
  /** The sum over facts and holders: inside the open transaction, and as last committed. */
  factsSum: number;
  durableFactsSum: number;
  damage: { reason: string; readableTo: number | null } | null;
  tail: Piece[];
  tailBytes: number;
  /** The tick of the last append, to find idle tails. */
  touched: number;
  isDue: boolean;
  lastPage: LastPage | null;
  cursors: Map<string, { readonly id: number; n: number }>;
}

/** Includes the content that each checksum covers, computed in SQL. */
export const recordColumns = `row, id, settled_seq, settled_chain, trimmed_seq, facts_sum, tail, damage, readable_to,
  head_crc, ${headContent} as head_content, state_crc, ${stateContent} as state_content`;

/** Above this many, sessions without a tail are evicted: memory grows with activity, not with history. */
const maxKnown = 20_000;

export class SessionStates {
  readonly #byRow = new Map<number, SessionState>();
  readonly #byId = new Map<SessionId, SessionState>();
  /** Sessions whose record lies on an unreadable database page; cached for the rest of the process. */
  readonly #lost = new Map<SessionId, string>();
  readonly #selectById;
  readonly #selectByRow;
  readonly #selectLastPage;
  readonly #facts: FactSums;

  constructor(database: DatabaseSync) {
    this.#facts = new FactSums(database);
    this.#selectById = database.prepare(`select ${recordColumns} from sessions where id = ?`);
    this.#selectByRow = database.prepare(`select ${recordColumns} from sessions where row = ?`);
    this.#selectLastPage = database.prepare(
      `select id, first_seq, count, chain, length(bytes) as size
       from pages where session = ? order by first_seq desc limit 1`,
    );
  }

  byRow(row: number): SessionState | null {
    return this.#byRow.get(row) ?? this.#load(this.#selectByRow.get(row) as SessionRow | undefined);
  }

  byRecord(record: SessionRow): SessionState {
    return this.#byRow.get(record.row) ?? this.#load(record);
  }

  byId(id: SessionId): SessionState | null {
    const known = this.#byId.get(id) ?? (this.#lost.size > 0 ? this.#lostState(id) : null);
    return known ?? this.#load(this.#selectById.get(id) as SessionRow | undefined);
  }

  *tailed(): Iterable<SessionState> {
    for (const state of this.#byRow.values()) if (state.tail.length > 0) yield state;
  }

  lose(id: SessionId, reason: string): void {
    this.#lost.set(id, reason);
  }

  add(state: SessionState): void {
    if (this.#byRow.size >= maxKnown) this.#forgetSettled();
    this.#byRow.set(state.row, state);
    this.#byId.set(state.id, state);
  }

  drop(state: SessionState): void {
    this.#byRow.delete(state.row);
    this.#byId.delete(state.id);
  }

  #load(row: SessionRow): SessionState;
  #load(row: SessionRow | undefined): SessionState | null;
  #load(row: SessionRow | undefined): SessionState | null {
    if (!row) return null;
    const state = newSessionState(row.row, row.id);
    state.seq = state.nextSeq = state.settledSeq = row.settled_seq;
    state.chain = state.nextChain = state.settledChain = row.settled_chain;
    state.trimmedSeq = row.trimmed_seq;
    state.factsSum = state.durableFactsSum = row.facts_sum;
    state.damage = damageOf(row) ?? this.#findLastPage(state) ?? this.#checkFacts(state);
    this.add(state);
    return state;
  }

  /** The record says where the settled events end; a last page with another end is damaged. */
  #findLastPage(state: SessionState): SessionState["damage"] {
    const page = this.#selectLastPage.get(state.row) as LastPageRow | undefined;
    const seq = page ? page.first_seq + page.count - 1 : state.trimmedSeq;
    const isWhole = page ? page.chain === state.settledChain : true;
    state.lastPage = page ? { id: page.id, firstSeq: page.first_seq, size: page.size } : null;
    if (seq === state.settledSeq && isWhole) return null;
    return {
      reason: `its pages end at ${seq}, its record at ${state.settledSeq}`,
      readableTo: seq,
    };
  }

  #checkFacts({ row, factsSum, settledSeq }: SessionState): SessionState["damage"] {
    if (this.#facts.sumOf(row) === factsSum) return null;
    return { reason: "its once-only facts fail their checksum", readableTo: settledSeq };
  }

  #lostState(id: SessionId): SessionState | null {
    const reason = this.#lost.get(id);
    if (reason === undefined) return null;
    return { ...newSessionState(0, id), damage: { reason, readableTo: null } };
  }

  #forgetSettled(): void {
    for (const state of this.#byRow.values()) {
      const isIdle = state.tail.length === 0 && state.nextSeq === state.seq;
      if (isIdle) this.drop(state);
      if (this.#byRow.size <= maxKnown / 2) return;
    }
  }
}

export function newSessionState(row: number, id: SessionId): SessionState {
  return {
    row,
    id,
    seq: 0,
    chain: 0,
    nextSeq: 0,
    nextChain: 0,
    settledSeq: 0,
    settledChain: 0,
    trimmedSeq: 0,
    factsSum: 0,
    durableFactsSum: 0,
    damage: null,
    tail: [],
    tailBytes: 0,
    touched: 0,
    isDue: false,
    lastPage: null,
    cursors: new Map(),
  };
}

interface LastPageRow {
  readonly id: number;
  readonly first_seq: number;
  readonly count: number;
  readonly chain: number;
  readonly size: number;
}

export interface SessionRow {
  readonly row: number;
  readonly id: SessionId;
  readonly settled_seq: number;
  readonly settled_chain: number;
  readonly trimmed_seq: number;
  readonly facts_sum: number;
  readonly tail: number;
  readonly damage: string | null;
  readonly readable_to: number | null;
  readonly head_crc: number;
  readonly head_content: string | null;
  readonly state_crc: number;
  readonly state_content: string | null;
}

export function damageOf(row: SessionRow): SessionState["damage"] {
  if (row.damage !== null) return { reason: row.damage, readableTo: row.readable_to };
  // A damaged database page can return null for a column that is never null.
  const isWhole =
    row.head_content !== null &&
    row.state_content !== null &&
    contentCrc(row.head_content) === row.head_crc &&
    contentCrc(row.state_content) === row.state_crc;
  if (!isWhole) {
    return { reason: "its session record fails its checksum", readableTo: null };
  }
  return null;
}
