/**
 * The journal in memory: the same rules as every store, without a disk. Tests use it, and it shows
 * the port's meaning in one file. A `MemoryDisk` survives a reopen.
 */

import { crc32 } from "node:zlib";
import type { SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import { textRefusal } from "../journal/batch.ts";
import type {
  Appended,
  Base,
  Batch,
  Head,
  Journal,
  ListQuery,
  Slice,
  Standing,
} from "../journal/journal.ts";
import { maxBytesInFlight, maxSliceBytes, maxSliceEvents } from "../journal/limits.ts";
import { decodePlace, encodePlace, type ListPlace, placeOf } from "../journal/list-cursor.ts";
import * as no from "../journal/store-refusal.ts";

interface StoredSession {
  head: Head;
  seq: number;
  chain: number;
  trimmed: number;
  /** Events trimmed + 1 … seq. */
  events: Buffer[];
  base: Base | null;
  readonly facts: Map<string, number>;
  readonly cursors: Map<string, number>;
}

export class MemoryDisk {
  epoch = 0;
  readonly sessions = new Map<SessionId, StoredSession>();
}

interface Pending {
  readonly batch: Batch;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: HostError) => void;
}

export function openMemoryJournal(disk = new MemoryDisk()): Promise<Journal> {
  disk.epoch++;
  return Promise.resolve(new MemoryJournal(disk));
}

class MemoryJournal implements Journal {
  readonly epoch: number;
  readonly #disk: MemoryDisk;
  readonly #listeners = new Set<(session: SessionId, seq: number) => void>();
  #pending: Pending[] = [];
  #pendingLength = 0;
  #whenReady = Promise.withResolvers<void>();
  #closed = false;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
    this.epoch = disk.epoch;
  }

  async append(batch: Batch): Promise<Appended> {
    this.#checkOpen();
    const refusal = textRefusal(batch);
    if (refusal) throw no.refusalError(refusal);
    const { promise, resolve, reject } = Promise.withResolvers<Appended>();
    if (this.#pending.push({ batch, resolve, reject }) === 1) setImmediate(() => this.#commit());
    this.#pendingLength += batch.text.length;
    return promise;
  }

  get ready(): boolean {
    return this.#pendingLength <= maxBytesInFlight;
  }

  whenReady(): Promise<void> {
    return this.ready ? Promise.resolve() : this.#whenReady.promise;
  }

  async read(session: SessionId, after: number, limit: number): Promise<Slice | null> {
    const bad = no.badRead(after, limit);
    if (bad) throw no.refusalError(bad);
    const { seq, trimmed, events } = this.#find(session);
    if (after > seq) throw no.refusalError(no.cursorAhead(session, after, seq));
    if (after < trimmed) throw no.refusalError(no.belowRetention(session, after, trimmed));
    const most = Math.min(limit, maxSliceEvents);
    const taken: Buffer[] = [];
    let bytes = 0;
    for (const event of events.slice(after - trimmed, after - trimmed + most)) {
      bytes += event.length;
      if (taken.length > 0 && bytes > maxSliceBytes) break;
      taken.push(event);
    }
    if (taken.length === 0) return null;
    return { firstSeq: after + 1, count: taken.length, bytes: Buffer.concat(taken) };
  }

  async standing(session: SessionId, tenant?: string): Promise<Standing | null> {
    this.#checkOpen();
    const stored = this.#disk.sessions.get(session);
    if (stored === undefined || stored.head.tenant !== (tenant ?? stored.head.tenant)) return null;
    return standing(session, stored);
  }

  async list(query: ListQuery) {
    const place = query.cursor === undefined ? null : decodePlace(query.cursor);
    const wanted = query.q?.toLowerCase();
    const matching = this.#standings(({ head }) => {
      if (query.tenant !== undefined && head.tenant !== query.tenant) return false;
      if (query.status !== undefined && head.status !== query.status) return false;
      return wanted === undefined || head.title.toLowerCase().includes(wanted);
    });
    const after = matching
      .sort((a, b) => inListOrder(placeOf(a), placeOf(b)))
      .filter((standing) => place === null || inListOrder(place, placeOf(standing)) < 0);
    const sessions = after.slice(0, query.limit);
    const last = sessions.at(-1);
    const more = last !== undefined && after.length > sessions.length;
    return { sessions, cursor: more ? encodePlace(placeOf(last)) : null };
  }

  async needs(tenant: string) {
    const needs = { waiting: 0, interrupted: 0, failed: 0 };
    for (const { head } of this.#standings((stored) => stored.head.tenant === tenant)) {
      if (head.need) needs[head.need]++;
    }
    return needs;
  }

  async outdatedHeads() {
    return this.#standings(({ head }) => head.need === undefined);
  }

  async opened() {
    return this.#standings(({ head }) => head.open);
  }

  async due(until: number, limit: number) {
    const due = this.#standings(({ head }) => head.dueAt !== null && head.dueAt <= until);
    return due.sort((a, b) => (a.head.dueAt ?? 0) - (b.head.dueAt ?? 0)).slice(0, limit);
  }

  async fact(session: SessionId, fact: { name: string; key: string }): Promise<number | null> {
    this.#checkOpen();
    return this.#disk.sessions.get(session)?.facts.get(factKey(fact)) ?? null;
  }

  async find(key: string): Promise<SessionId | null> {
    this.#checkOpen();
    return this.#named("run", key)?.[0] ?? this.#named("created", key)?.[0] ?? null;
  }

  async cursor(session: SessionId, holder: string): Promise<number> {
    this.#checkOpen();
    return this.#disk.sessions.get(session)?.cursors.get(holder) ?? 0;
  }

  async base(session: SessionId): Promise<Base | null> {
    return this.#find(session).base;
  }

  async putBase(session: SessionId, base: Base): Promise<void> {
    this.#checkOwner();
    const stored = this.#find(session);
    if (base.seq > stored.seq) throw no.refusalError(no.cursorAhead(session, base.seq, stored.seq));
    if (!stored.base || base.seq >= stored.base.seq) stored.base = base;
  }

  async trim(session: SessionId, upTo: number): Promise<void> {
    this.#checkOwner();
    const stored = this.#find(session);
    if (!stored.base || stored.base.seq < upTo) throw no.refusalError(no.noBase(session, upTo));
    if (upTo <= stored.trimmed) return;
    stored.events = stored.events.slice(upTo - stored.trimmed);
    stored.trimmed = upTo;
  }

  async remove(session: SessionId): Promise<void> {
    this.#checkOwner();
    this.#disk.sessions.delete(session);
  }

  onAppend(listener: (session: SessionId, seq: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async damages() {
    this.#checkOpen();
    return [];
  }

  backup(): Promise<never> {
    const message = "A journal in memory has nothing to back up. Use the SQLite journal.";
    return Promise.reject(new HostError("bad_input", message));
  }

  async close(): Promise<void> {
    this.#commit();
    this.#closed = true;
  }

  #commit(): void {
    const group = this.#pending;
    this.#pending = [];
    this.#pendingLength = 0;
    for (const { batch, resolve, reject } of group) {
      const refusal = this.#refusal(batch);
      if (refusal) reject(no.refusalError(refusal));
      else resolve(this.#store(batch));
    }
    this.#whenReady.resolve();
    this.#whenReady = Promise.withResolvers<void>();
  }

  #refusal({ session, epoch, expectedSeq, head, once, cursor }: Batch): no.StoreRefusal | null {
    if (epoch !== this.#disk.epoch) return no.fenced(epoch, this.#disk.epoch);
    const stored = this.#disk.sessions.get(session);
    if (!stored && (expectedSeq > 0 || !head)) return no.sessionNotFound(session);
    const seq = stored?.seq ?? 0;
    if (seq !== expectedSeq) return no.seqConflict(session, expectedSeq, seq);
    const seen = new Set<string>();
    for (const fact of once ?? []) {
      const created = fact.name === "created" ? this.#named("created", fact.key) : undefined;
      if (created) return no.alreadyDone(created[0], fact, created[1]);
      const stands = seen.has(factKey(fact)) ? seq : stored?.facts.get(factKey(fact));
      if (stands !== undefined) return no.alreadyDone(session, fact, stands);
      seen.add(factKey(fact));
    }
    const at = cursor ? (stored?.cursors.get(cursor.holder) ?? 0) : 0;
    return cursor && cursor.from !== at ? no.cursorConflict(session, cursor, at) : null;
  }

  #store({ session, count, text, head, once, cursor }: Batch): Appended {
    let stored = this.#disk.sessions.get(session);
    if (!stored) {
      stored = { ...emptySession(), head: head as Head };
      this.#disk.sessions.set(session, stored);
    }
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(0x0a, start) + 1;
      stored.events.push(bytes.subarray(start, end));
      start = end;
    }
    stored.seq += count;
    stored.chain = crc32(bytes, stored.chain);
    if (head) stored.head = head;
    for (const fact of once ?? []) stored.facts.set(factKey(fact), stored.seq);
    if (cursor) stored.cursors.set(cursor.holder, cursor.to);
    if (count > 0) for (const listener of this.#listeners) listener(session, stored.seq);
    return { seq: stored.seq, chain: stored.chain };
  }

  #named(name: "run" | "created", key: string): readonly [SessionId, number] | undefined {
    for (const [session, { facts }] of this.#disk.sessions) {
      const seq = facts.get(factKey({ name, key }));
      if (seq !== undefined) return [session, seq];
    }
    return undefined;
  }

  #standings(matches: (stored: StoredSession) => boolean): Standing[] {
    this.#checkOpen();
    const found: Standing[] = [];
    for (const [session, stored] of this.#disk.sessions) {
      if (matches(stored)) found.push(standing(session, stored));
    }
    return found;
  }

  #find(session: SessionId): StoredSession {
    this.#checkOpen();
    const stored = this.#disk.sessions.get(session);
    if (!stored) throw no.refusalError(no.sessionNotFound(session));
    return stored;
  }

  #checkOpen(): void {
    if (this.#closed) throw no.refusalError(no.journalClosed());
  }

  #checkOwner(): void {
    this.#checkOpen();
    if (this.epoch !== this.#disk.epoch) {
      throw no.refusalError(no.fenced(this.epoch, this.#disk.epoch));
    }
  }
}

function emptySession(): Omit<StoredSession, "head"> {
  return {
    seq: 0,
    chain: 0,
    trimmed: 0,
    events: [],
    base: null,
    facts: new Map(),
    cursors: new Map(),
  };
}

function inListOrder(a: ListPlace, b: ListPlace): number {
  return b.rank - a.rank || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

function factKey({ name, key }: { name: string; key: string }): string {
  return `${name} ${key}`;
}

function standing(session: SessionId, { seq, chain, trimmed, head }: StoredSession): Standing {
  return { session, seq, chain, trimmed, head };
}
