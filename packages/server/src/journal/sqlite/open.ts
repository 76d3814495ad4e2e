/** The SQLite journal: implements the port with a writer thread, a reader thread and tails in memory. */

import type { Needs, SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import { textRefusal } from "../batch.ts";
import type {
  Appended,
  Base,
  Batch,
  Journal,
  ListPage,
  ListQuery,
  OnceFact,
  Slice,
  Standing,
} from "../journal.ts";
import { encodePlace, placeOf } from "../list-cursor.ts";
import * as no from "../store-refusal.ts";
import { backupJournal } from "./backup.ts";
import { type DirectoryLock, lockDirectory } from "./boot/lock.ts";
import { type JournalFiles, journalFiles } from "./file/files.ts";
import { Thread } from "./threads/calls.ts";
import type { ReaderCalls } from "./threads/reader.ts";
import type { WriterCalls } from "./threads/writer.ts";
import { Groups } from "./write/groups.ts";
import type { AckMessage, SettledMessage } from "./write/messages.ts";
import { defaultBallastBytes } from "./write/space.ts";
import type { BootReport } from "./write/store.ts";
import { firstInMemory, readTail, Tails } from "./write/tails.ts";

interface SqliteJournalOptions {
  readonly dir: string;
  /** Bytes reserved for a full disk, see space.ts. */
  readonly ballastBytes?: number;
}

export type SqliteJournal = Journal & {
  readonly bootReport: BootReport;
};

/** Locks the directory before it touches any other file in it. */
export async function openSqliteJournal({
  dir,
  ballastBytes = defaultBallastBytes,
}: SqliteJournalOptions): Promise<SqliteJournal> {
  const files = journalFiles(dir);
  const lock = lockDirectory(files);
  const tails = new Tails();
  const listeners: Listeners = new Set();
  const woken: [session: SessionId, seq: number][] = [];
  const writer = new Thread<WriterCalls>("writer", { files, ballastBytes }, (message) => {
    const news = message as AckMessage | SettledMessage;
    if ("settled" in news) return tails.settledAll(news.settled);
    groups.acknowledged(news);
    for (const [session, seq] of woken.splice(0)) {
      for (const listener of listeners) listener(session, seq);
    }
  });
  const groups = new Groups({
    rowOf: ({ session }) => tails.get(session)?.row ?? 0,
    send: (group) => writer.post(group, [group.index.buffer]),
    durable({ session, expectedSeq, count }, row, chain, part) {
      tails.appended(session, row, chain, part);
      if (count > 0) woken.push([session, expectedSeq + count]);
    },
  });
  const reader = new Thread<ReaderCalls>("reader", files);
  try {
    const bootReport = await writer.call("start");
    await reader.call("start");
    return new SqliteStore({ files, lock, tails, listeners, writer, reader, groups, bootReport });
  } catch (error) {
    await Promise.all([writer.discard(), reader.discard()]);
    lock.release();
    throw error;
  }
}

type Listeners = Set<(session: SessionId, seq: number) => void>;

interface Parts {
  readonly files: JournalFiles;
  readonly lock: DirectoryLock;
  readonly tails: Tails;
  readonly listeners: Listeners;
  readonly writer: Thread<WriterCalls>;
  readonly reader: Thread<ReaderCalls>;
  readonly groups: Groups;
  readonly bootReport: BootReport;
}

class SqliteStore implements SqliteJournal {
  readonly epoch: number;
  readonly bootReport: BootReport;
  readonly #parts: Parts;
  #closed: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.bootReport = parts.bootReport;
    this.epoch = parts.bootReport.epoch;
  }

  append(batch: Batch): Promise<Appended> {
    const isStale = batch.epoch !== this.epoch;
    const refusal = isStale ? no.fenced(batch.epoch, this.epoch) : textRefusal(batch);
    if (refusal) return Promise.reject(no.refusalError(refusal));
    return this.#parts.groups.append(batch);
  }

  get ready(): boolean {
    return this.#parts.groups.isReady;
  }

  whenReady(): Promise<void> {
    return this.#parts.groups.whenReady();
  }

  async read(session: SessionId, after: number, limit: number): Promise<Slice | null> {
    const bad = no.badRead(after, limit);
    if (bad) throw no.refusalError(bad);
    const tail = this.#parts.tails.get(session);
    if (tail && after >= firstInMemory(tail) - 1) {
      if (after < tail.trimmed) {
        throw no.refusalError(no.belowRetention(session, after, tail.trimmed));
      }
      if (after > tail.seq) throw no.refusalError(no.cursorAhead(session, after, tail.seq));
      return after === tail.seq ? null : readTail(tail, after, limit);
    }
    try {
      return await this.#reader.call(
        "read",
        session,
        after,
        tail ? firstInMemory(tail) - 1 : null,
        limit,
      );
    } catch (error) {
      if (error instanceof HostError && error.code === "session_damaged")
        await this.#quarantine(error);
      throw error;
    }
  }

  async standing(session: SessionId, tenant?: string): Promise<Standing | null> {
    const before = this.#parts.tails.get(session);
    const stored = await this.#reader.call("standing", session, tenant ?? null);
    return stored && this.#newest(stored, before);
  }

  async list(query: ListQuery): Promise<ListPage> {
    const found = await this.#reader.call("list", query);
    const sessions = found.slice(0, query.limit).map((stored) => this.#newest(stored));
    const last = sessions.at(-1);
    const hasMore = last !== undefined && found.length > query.limit;
    return { sessions, cursor: hasMore ? encodePlace(placeOf(last)) : null };
  }

  async needs(tenant: string): Promise<Needs> {
    return this.#reader.call("needs", tenant);
  }

  async outdatedHeads(): Promise<readonly Standing[]> {
    return (await this.#reader.call("outdatedHeads")).map((stored) => this.#newest(stored));
  }

  async opened(): Promise<readonly Standing[]> {
    return (await this.#reader.call("opened")).map((stored) => this.#newest(stored));
  }

  async due(until: number, limit: number): Promise<readonly Standing[]> {
    return (await this.#reader.call("due", until, limit)).map((stored) => this.#newest(stored));
  }

  async fact(session: SessionId, fact: OnceFact): Promise<number | null> {
    return this.#reader.call("fact", session, fact);
  }

  async find(key: string): Promise<SessionId | null> {
    return this.#reader.call("find", key);
  }

  async cursor(session: SessionId, holder: string): Promise<number> {
    return this.#reader.call("cursor", session, holder);
  }

  async base(session: SessionId): Promise<Base | null> {
    return this.#reader.call("base", session);
  }

  async putBase(session: SessionId, base: Base): Promise<void> {
    await this.#writer.call("putBase", session, base);
  }

  async trim(session: SessionId, upTo: number): Promise<void> {
    await this.#writer.call("trim", session, upTo);
    this.#parts.tails.trimmed(session, upTo);
  }

  async remove(session: SessionId): Promise<void> {
    await this.#writer.call("remove", session);
    this.#parts.tails.drop(session);
  }

  onAppend(listener: (session: SessionId, seq: number) => void): () => void {
    this.#parts.listeners.add(listener);
    return () => this.#parts.listeners.delete(listener);
  }

  async damages() {
    const marked = await this.#reader.call("damages");
    const names = new Set(marked.map(({ session }) => session));
    return [...marked, ...this.bootReport.damages.filter(({ session }) => !names.has(session))];
  }

  async backup(path: string) {
    this.#checkOpen();
    return backupJournal(this.#parts.files.journal, path);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { groups, writer, reader, lock } = this.#parts;
    await groups.close();
    // The reader closes first: only the last connection can checkpoint the write-ahead log and
    // remove it.
    await reader.end();
    await writer.call("close");
    await writer.end();
    lock.release();
  }

  /** The record with the newer head in memory; `before` is a tail dropped during the read. */
  #newest(stored: Standing, before = this.#parts.tails.get(stored.session)): Standing {
    const tail = this.#parts.tails.get(stored.session) ?? before;
    if (!tail || tail.seq <= stored.seq) return stored;
    return { ...stored, seq: tail.seq, chain: tail.chain };
  }

  async #quarantine({ details }: HostError): Promise<void> {
    const { session, reason, readableTo } = details as {
      session: SessionId;
      reason: string;
      readableTo: number | null;
    };
    await this.#writer.call("quarantine", session, reason, readableTo);
  }

  get #writer(): Thread<WriterCalls> {
    this.#checkOpen();
    return this.#parts.writer;
  }

  get #reader(): Thread<ReaderCalls> {
    this.#checkOpen();
    return this.#parts.reader;
  }

  #checkOpen(): void {
    if (this.#closed) throw no.refusalError(no.journalClosed());
  }
}
