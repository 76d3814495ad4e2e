/**
 * The journal port: the only way by which an event becomes durable.
 *
 * A store keeps, per session, a dense list of events 1..n as the exact bytes that go on the wire, a
 * head (a cache of derived columns for lists and boot), once-only facts, ingest cursors and one
 * base. Everything in one `Batch` becomes durable together or not at all. A refused batch leaves
 * the other batches of its group commit untouched.
 */

import type { NeedKind, Needs, SessionId } from "@holdfast/protocol";

/** The columns a store lists and indexes by: a cache, which a loaded journal overrides. */
export interface Head {
  readonly tenant: string;
  readonly title: string;
  readonly agentName: string;
  readonly lifecycle: string;
  readonly status: string;
  /** Why the session needs a person; absent in heads written by older versions. */
  readonly need?: NeedKind | null;
  /** The session has a run without an outcome, so boot recovery must check it. */
  readonly open: boolean;
  /** When the sweep must check this session (a deadline, an expiry, retention); null for never. */
  readonly dueAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A fact that may become true at most once per session; the store holds it as a constraint. */
export interface OnceFact {
  /** `client`: a message id. `command`: an idempotency key. `find` resolves the others. */
  readonly name: "client" | "command" | "token" | "outcome" | "approval" | "run" | "created";
  readonly key: string;
}

/** Exactly-once ingest: compare-and-set of a holder's last journalled frame number. */
export interface CursorMove {
  readonly holder: string;
  readonly from: number;
  readonly to: number;
}

export interface Batch {
  readonly session: SessionId;
  /** The writer's fencing number; any other than the store's current one is refused as `fenced`. */
  readonly epoch: number;
  /** The head seq decided on; any other is refused as `seq_conflict`. 0 creates the session. */
  readonly expectedSeq: number;
  /** Number of events in `text`; 0 when the batch only moves the head or a cursor. */
  readonly count: number;
  /** The event lines, each ending in "\n": exactly the bytes that followers get. */
  readonly text: string;
  readonly head?: Head;
  readonly once?: readonly OnceFact[];
  readonly cursor?: CursorMove;
  /** True for cancels, outcomes and deletes: they may use the space reserved for a full disk. */
  readonly essential?: boolean;
}

export interface Appended {
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

/** The folded state and transcript up to `seq`; stands in for events that were trimmed. */
export interface Base {
  readonly seq: number;
  readonly chain: number;
  readonly state: string;
  readonly transcript: string;
}

/** A session's stored position: enough to open the session without reading its events. */
export interface Standing {
  readonly session: SessionId;
  readonly seq: number;
  readonly chain: number;
  /** Events up to this seq were folded into the base and deleted; 0 when all events are stored. */
  readonly trimmed: number;
  readonly head: Head;
  /** Set when the session is quarantined: readable up to `readableTo`, and closed for writes. */
  readonly damage?: Damage;
}

export interface Damage {
  readonly session: SessionId | null;
  readonly reason: string;
  /** The last seq that can be read in order; null when unknown. */
  readonly readableTo: number | null;
}

export interface ListQuery {
  readonly tenant?: string;
  readonly status?: string;
  /** Case-insensitive substring of the title. */
  readonly q?: string;
  /**
   * Opaque: pass the previous page's `cursor`. Sessions that need a person come first, in the order
   * of `needKinds`, then the rest; within each group, the newest `updatedAt` first.
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
  /** This boot's fencing number, durable before `open` returned, and higher than every earlier one. */
  readonly epoch: number;

  /**
   * Resolves once the batch is durable. Rejects with a HostError: `fenced`, `seq_conflict`,
   * `already_done` (details: the fact and its seq), `cursor_conflict`, `journal_full`,
   * `session_damaged`, `session_not_found`, `too_large`. Batches of one session are processed in
   * call order. After a failed sync the promise stays pending, because the process ends.
   */
  append(batch: Batch): Promise<Appended>;

  /** False while too many bytes are in flight: the writer should stop reading its input. */
  readonly ready: boolean;
  whenReady(): Promise<void>;

  /**
   * At most `limit` durable events, about 256 KB, after `after`; null when `after` is the head.
   * Rejects with `below_retention` when `after` < trimmed, `cursor_ahead` when `after` > head,
   * `session_damaged` when the bytes fail their checksum, `session_not_found`.
   */
  read(session: SessionId, after: number, limit: number): Promise<Slice | null>;

  /** With a tenant, another tenant's session is null like a missing one, and takes as long. */
  standing(session: SessionId, tenant?: string): Promise<Standing | null>;
  list(query: ListQuery): Promise<ListPage>;
  needs(tenant: string): Promise<Needs>;
  /** Sessions whose head lacks `need`, because an older version wrote it. */
  outdatedHeads(): Promise<readonly Standing[]>;
  opened(): Promise<readonly Standing[]>;
  /** Sessions whose head has `dueAt` ≤ `until`, earliest first, for the sweep. */
  due(until: number, limit: number): Promise<readonly Standing[]>;

  /** The seq at which a once-only fact was recorded, or null. */
  fact(session: SessionId, fact: OnceFact): Promise<number | null>;
  /**
   * The session that a `run` or `created` fact with this key belongs to. A second creation under
   * the same `created` key is refused as `already_done`, naming the first session.
   */
  find(key: string): Promise<SessionId | null>;
  cursor(session: SessionId, holder: string): Promise<number>;

  base(session: SessionId): Promise<Base | null>;
  /** Replaces the session's base. An older base than the stored one is ignored. */
  putBase(session: SessionId, base: Base): Promise<void>;
  /** Deletes events up to the stored base's seq, in slices. Refused without such a base. */
  trim(session: SessionId, upTo: number): Promise<void>;
  /** Deletes a session and all its records, in slices. Idempotent. */
  remove(session: SessionId): Promise<void>;

  /** Calls `listener` after each durable append, in order; it reads the events itself. */
  onAppend(listener: (session: SessionId, seq: number) => void): () => void;

  /** All known damage; empty when the journal is sound. */
  damages(): Promise<readonly Damage[]>;
  backup(path: string): Promise<BackupReport>;
  close(): Promise<void>;
}
