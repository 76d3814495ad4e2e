/**
 * The journal port: the only road by which a fact becomes true.
 *
 * A store keeps, per session, a dense list of events 1..n as the exact bytes that go on the wire,
 * a head (a cache of derived columns for lists and boot), once-only facts, ingest cursors and one
 * base. Everything in one `Batch` becomes durable together or not at all, and a batch that is
 * refused touches no other batch of the same group commit.
 */

import type { NeedKind, Needs, SessionId } from "@holdfast/protocol";

/** The columns a store may list and index by. A cache: whoever loads a session lets the journal win. */
export interface Head {
  readonly tenant: string;
  readonly title: string;
  readonly agentName: string;
  readonly lifecycle: string;
  readonly status: string;
  /** The reason why it needs somebody; absent in heads of versions that did not keep it. */
  readonly need?: NeedKind | null;
  /** A run without an outcome exists: boot recovery must look at this session. */
  readonly open: boolean;
  /** When the sweep must look at this session (a deadline, an expiry, retention); null when never. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A fact that may become true at most once per session; the store holds it as a constraint. */
export interface OnceFact {
  /**
   * `client` a client's message id, `command` an idempotency key, `run` and `created` names that
   * lead to the session from anywhere (`find`), the rest as named.
   */
  readonly name: "client" | "command" | "token" | "outcome" | "approval" | "run" | "created";
  readonly key: string;
}

/** Exactly-once ingest: compare-and-set of the last journalled frame number of one holder. */
export interface CursorMove {
  readonly holder: string;
  readonly from: number;
  readonly to: number;
}

export interface Batch {
  readonly session: SessionId;
  /** The writer's fencing number; anything but the store's current one is refused as `fenced`. */
  readonly epoch: number;
  /** The head the writer decided on; another head is refused as `seq_conflict`. 0 creates the session. */
  readonly expectedSeq: number;
  /** How many events `text` holds; 0 is allowed when only head or cursor move. */
  readonly count: number;
  /** The event lines, each ending in "\n": exactly the bytes that followers get. */
  readonly text: string;
  readonly head?: Head;
  readonly once?: readonly OnceFact[];
  readonly cursor?: CursorMove;
  /** Cancels, outcomes and deletes: may use the space kept free for a full disk. */
  readonly essential?: boolean;
}

export interface Appended {
  /** The session's head after this batch. */
  readonly seq: number;
  /** Rolling CRC-32 over all event bytes of the session up to `seq`. */
  readonly chain: number;
}

/** Whole event lines of one session, `firstSeq` … `firstSeq + count - 1`, as stored. */
export interface Slice {
  readonly firstSeq: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** What is kept instead of, or beside, the events up to `seq`. */
export interface Base {
  readonly seq: number;
  readonly chain: number;
  /** JSON of the bounded session state at `seq`. */
  readonly state: string;
  /** JSON of the transcript at `seq`. */
  readonly transcript: string;
}

/** Where a session stands: enough to open it without reading its events. */
export interface Standing {
  readonly session: SessionId;
  readonly seq: number;
  readonly chain: number;
  /** Events at or below this were folded into the base and are gone; 0 when all are there. */
  readonly trimmed: number;
  readonly head: Head;
  /** Set when the session is quarantined: readable up to `readableTo`, refusing writes. */
  readonly damage?: Damage;
}

export interface Damage {
  readonly session: SessionId | null;
  readonly reason: string;
  /** The last seq that can still be read in order; null when unknown. */
  readonly readableTo: number | null;
}

export interface ListQuery {
  readonly tenant?: string;
  readonly status?: string;
  /** Case-insensitive substring of the title. */
  readonly q?: string;
  /**
   * Opaque: pass the previous page's `cursor`. Sessions that need somebody come first, in the order
   * of `needKinds`, then the rest; within each, the newest `updatedAt` first.
   */
  readonly cursor?: string;
  readonly limit: number;
}

export interface ListPage {
  readonly sessions: readonly Standing[];
  readonly cursor: string | null;
}

export interface BackupReport {
  readonly path: string;
  readonly bytes: number;
  readonly sessions: number;
  readonly events: number;
}

export interface Journal {
  /** This life's fencing number, durable before `open` returned, and higher than every earlier one. */
  readonly epoch: number;

  /**
   * Resolves once the batch is durable. Rejects with a HostError: `fenced`, `seq_conflict`,
   * `already_done` (details: the fact and the seq it stands at), `cursor_conflict`,
   * `journal_full`, `session_damaged`, `session_not_found`, `too_large`. Batches of one session
   * are taken in call order. A failed sync never answers: the process ends.
   */
  append(batch: Batch): Promise<Appended>;

  /** False while too many bytes are in flight: whoever feeds the journal should stop reading. */
  readonly ready: boolean;
  /** Resolves when `ready` is (again) true. */
  whenReady(): Promise<void>;

  /**
   * At most `limit` events and about 256 KB after `after`, durable ones only; null when there are
   * none yet. Rejects with `below_retention` when `after` < trimmed, `cursor_ahead` when `after` >
   * head, `session_damaged` when the bytes fail their checksum, `session_not_found`.
   */
  read(session: SessionId, after: number, limit: number): Promise<Slice | null>;

  standing(session: SessionId): Promise<Standing | null>;
  list(query: ListQuery): Promise<ListPage>;
  /** Counts a tenant's sessions that need somebody, by kind. */
  needs(tenant: string): Promise<Needs>;
  /** Sessions whose head lacks `need`, because an older version wrote it. */
  outdatedHeads(): Promise<readonly Standing[]>;
  /** Sessions with an open run: what boot recovery works through. */
  opened(): Promise<readonly Standing[]>;
  /** Sessions whose head says `dueAt` ≤ `until`, earliest first: what the sweep works through. */
  due(until: number, limit: number): Promise<readonly Standing[]>;

  /** The seq a once-only fact stands at, or null. */
  fact(session: SessionId, fact: OnceFact): Promise<number | null>;
  /**
   * The session that a `run` or `created` fact with this key leads to. A `created` key leads to one
   * session only: a second creation under it is refused as `already_done`, naming the first.
   */
  find(key: string): Promise<SessionId | null>;
  /** The last journalled frame of a holder; 0 when none. */
  cursor(session: SessionId, holder: string): Promise<number>;

  base(session: SessionId): Promise<Base | null>;
  /** Replaces the session's base. Never moves backwards; a late, older one is ignored. */
  putBase(session: SessionId, base: Base): Promise<void>;
  /** Deletes events up to the stored base's seq, in slices. Refuses without such a base. */
  trim(session: SessionId, upTo: number): Promise<void>;
  /** Deletes a session and all that belongs to it, in slices. Idempotent. */
  remove(session: SessionId): Promise<void>;

  /** Wake-ups are hints: after one, whoever cares reads. Called after durability, in seq order. */
  onAppend(listener: (session: SessionId, seq: number) => void): () => void;

  /** What is known to be damaged; empty when sound. */
  damages(): Promise<readonly Damage[]>;
  /** A consistent copy of the store while it is being written. */
  backup(path: string): Promise<BackupReport>;
  close(): Promise<void>;
}
