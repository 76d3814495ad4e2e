/** Checks whether a batch may be written, and writes its rows other than events. */

import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "@holdfast/protocol";
import type { CursorMove, Head, OnceFact } from "../../journal.ts";
import { rankOf } from "../../list-cursor.ts";
import * as no from "../../store-refusal.ts";
import { cursorCrc, factCrc, headCrc, holderCrc, stateCrc } from "../file/checksum.ts";
import { newSessionState, type SessionState, type SessionStates } from "../file/session-state.ts";
import type { Extra } from "./messages.ts";

interface NewSession {
  readonly id: SessionId;
  readonly head: Head;
}

interface Cursor {
  readonly id: number;
  n: number;
}

const headColumns =
  "tenant, title, folded_title, agent, lifecycle, status, open, due_at, created_at, updated_at, need, head_crc";

export class BatchRules {
  readonly #states: SessionStates;
  readonly #insertSession;
  readonly #updateHead;
  readonly #updateState;
  readonly #selectFact;
  readonly #selectCreated;
  readonly #insertFact;
  readonly #selectCursor;
  readonly #insertCursor;
  readonly #updateCursor;
  /** The sessions this transaction changed or created, to undo on rollback. */
  readonly #touched = new Set<SessionState>();
  readonly #made = new Set<SessionState>();

  constructor(database: DatabaseSync, states: SessionStates) {
    this.#states = states;
    this.#insertSession = database.prepare(
      `insert into sessions (id, ${headColumns}, settled_seq, settled_chain, trimmed_seq, facts_sum, tail, state_crc)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0)`,
    );
    this.#updateHead = database.prepare(
      `update sessions set (${headColumns}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) where row = ?`,
    );
    this.#updateState = database.prepare(
      "update sessions set facts_sum = ?, tail = ?, state_crc = ? where row = ?",
    );
    this.#selectFact = database.prepare(
      "select seq from facts where session = ? and name = ? and key = ?",
    );
    this.#selectCreated = database.prepare(
      `select id, seq from facts join sessions on sessions.row = facts.session
       where key = ? and name = 'created' and name in ('run', 'created')`,
    );
    this.#insertFact = database.prepare(
      "insert into facts (session, name, key, seq) values (?, ?, ?, ?)",
    );
    this.#selectCursor = database.prepare(
      "select id, n, crc from cursors where session = ? and holder = ?",
    );
    this.#insertCursor = database.prepare(
      "insert into cursors (session, holder, n, crc) values (?, ?, ?, ?)",
    );
    this.#updateCursor = database.prepare("update cursors set n = ?, crc = ? where id = ?");
  }

  check(
    row: number,
    expectedSeq: number,
    extra: Extra | undefined,
  ): SessionState | NewSession | no.StoreRefusal {
    const id = extra?.session;
    const state = id === undefined ? this.#states.byRow(row) : this.#states.byId(id);
    if (!state) {
      if (id === undefined) return no.sessionNotFound(`in row ${row}`);
      if (expectedSeq > 0 || !extra?.head) return no.sessionNotFound(id);
      return (
        duplicateFact(id, 0, extra.once) ??
        this.#createdBefore(extra.once) ??
        cursorRefusal(id, extra.cursor, 0) ?? { id, head: extra.head }
      );
    }
    if (state.damage)
      return no.sessionDamaged(state.id, state.damage.reason, state.damage.readableTo);
    if (state.nextSeq !== expectedSeq) return no.seqConflict(state.id, expectedSeq, state.nextSeq);
    if (!extra) return state;
    return (
      this.#factRefusal(state, extra.once) ?? this.#cursorRefusal(state, extra.cursor) ?? state
    );
  }

  write(found: SessionState | NewSession, count: number, extra: Extra | undefined): SessionState {
    const state = "head" in found ? this.#create(found) : found;
    this.#touched.add(state);
    if (extra?.head && !("head" in found))
      this.#updateHead.run(...headValues(state.id, extra.head), state.row);
    const hadTail = state.tail.length > 0 || state.nextSeq > state.seq;
    const hasTail = hadTail || count > 0;
    const sum = state.factsSum;
    state.nextSeq += count;
    for (const { name, key } of extra?.once ?? []) {
      this.#insertFact.run(state.row, name, key, state.nextSeq);
      state.factsSum = (state.factsSum ^ factCrc(name, key, state.nextSeq)) >>> 0;
    }
    if (extra?.cursor) this.#moveCursor(state, extra.cursor);
    if (hasTail !== hadTail || sum !== state.factsSum || "head" in found) {
      const crc = stateCrc(state, hasTail);
      this.#updateState.run(state.factsSum, Number(hasTail), crc, state.row);
    }
    return state;
  }

  committed(): void {
    for (const state of this.#touched) state.durableFactsSum = state.factsSum;
    this.#touched.clear();
    this.#made.clear();
  }

  rolledBack(): void {
    for (const state of this.#touched) {
      state.nextSeq = state.seq;
      state.nextChain = state.chain;
      state.factsSum = state.durableFactsSum;
      state.cursors.clear();
    }
    for (const state of this.#made) this.#states.drop(state);
    this.committed();
  }

  #create({ id, head }: NewSession): SessionState {
    const { lastInsertRowid } = this.#insertSession.run(id, ...headValues(id, head));
    const state = newSessionState(Number(lastInsertRowid), id);
    this.#states.add(state);
    this.#made.add(state);
    return state;
  }

  #createdBefore(once: readonly OnceFact[] | undefined): no.StoreRefusal | null {
    const fact = once?.find(({ name }) => name === "created");
    if (fact === undefined) return null;
    const stands = this.#selectCreated.get(fact.key) as { id: string; seq: number } | undefined;
    return stands ? no.alreadyDone(stands.id, fact, stands.seq) : null;
  }

  #factRefusal(state: SessionState, once: readonly OnceFact[] | undefined): no.StoreRefusal | null {
    for (const fact of once ?? []) {
      const stands = this.#selectFact.get(state.row, fact.name, fact.key) as
        | { seq: number }
        | undefined;
      if (stands) return no.alreadyDone(state.id, fact, stands.seq);
    }
    return duplicateFact(state.id, state.nextSeq, once);
  }

  #cursorRefusal(state: SessionState, move: CursorMove | undefined): no.StoreRefusal | null {
    if (!move) return null;
    const cursor = this.#cursor(state, move.holder);
    if (cursor === "damaged") {
      return no.sessionDamaged(state.id, "an ingest cursor fails its checksum", state.settledSeq);
    }
    return cursorRefusal(state.id, move, cursor?.n ?? 0);
  }

  #cursor(state: SessionState, holder: string): Cursor | "damaged" | undefined {
    const known = state.cursors.get(holder);
    if (known) return known;
    const stored = this.#selectCursor.get(state.row, holder) as
      | (Cursor & { crc: number })
      | undefined;
    if (!stored) return undefined;
    if (cursorCrc(state.row, holder, stored.n) !== stored.crc) return "damaged";
    state.cursors.set(holder, stored);
    return stored;
  }

  #moveCursor(state: SessionState, { holder, to }: CursorMove): void {
    const cursor = state.cursors.get(holder);
    if (cursor) {
      this.#updateCursor.run(to, cursorCrc(state.row, holder, to), cursor.id);
      cursor.n = to;
      return;
    }
    const crc = cursorCrc(state.row, holder, to);
    const { lastInsertRowid } = this.#insertCursor.run(state.row, holder, to, crc);
    state.factsSum = (state.factsSum ^ holderCrc(holder)) >>> 0;
    state.cursors.set(holder, { id: Number(lastInsertRowid), n: to });
  }
}

function duplicateFact(
  id: string,
  seq: number,
  once: readonly OnceFact[] | undefined,
): no.StoreRefusal | null {
  const seen = new Set<string>();
  for (const fact of once ?? []) {
    const key = `${fact.name} ${fact.key}`;
    if (seen.has(key)) return no.alreadyDone(id, fact, seq);
    seen.add(key);
  }
  return null;
}

function cursorRefusal(
  id: string,
  move: CursorMove | undefined,
  at: number,
): no.StoreRefusal | null {
  return move && move.from !== at ? no.cursorConflict(id, move, at) : null;
}

function headValues(id: string, head: Head) {
  return [
    head.tenant,
    head.title,
    head.title.toLowerCase(),
    head.agentName,
    head.lifecycle,
    head.status,
    Number(head.open),
    head.dueAt,
    head.createdAt,
    head.updatedAt,
    head.need === undefined ? null : rankOf(head.need),
    headCrc(id, head),
  ] as const;
}
