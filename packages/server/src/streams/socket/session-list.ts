/**
 * The live list: sends one message when a field that lists show about a session changes, built once
 * for all watchers. Fields that change with every event, such as the last seq, are included but do
 * not trigger a message. When a session's need changes, the counts of its tenant are sent too.
 */

import {
  type ListedView,
  listedView,
  type NeedKind,
  type SessionId,
  type SessionState,
  sessionView,
} from "@holdfast/protocol";
import type { Journal } from "../../journal/journal.ts";
import type { CallerSessions } from "../../session/sessions.ts";
import type { Streams } from "../streams.ts";

/** `of` names the message that this one replaces: the earlier row, or counts. */
type ListChange = (of: SessionId | "needs", message: string) => void;

interface Told {
  readonly words: string;
  readonly need: NeedKind | null;
}

/** Sessions whose last row is remembered; a forgotten one is sent once more. */
const REMEMBERED = 20_000;

export class SessionList {
  readonly #sessions: CallerSessions;
  readonly #journal: Journal;
  readonly #watchers = new Map<ListChange, string>();
  readonly #told = new Map<SessionId, Told>();
  /** Tenants whose counts are being read; true when they have changed since. */
  readonly #counting = new Map<string, boolean>();
  #unlisten: (() => void) | null = null;

  constructor({ sessions, journal }: Pick<Streams, "sessions" | "journal">) {
    this.#sessions = sessions;
    this.#journal = journal;
  }

  /** Calls `change` for sessions of this tenant until the returned function is called. */
  watch(tenant: string, change: ListChange): () => void {
    this.#watchers.set(change, tenant);
    this.#unlisten ??= this.#sessions.onDurable((session, { state }) => this.#see(session, state));
    return () => {
      this.#watchers.delete(change);
      if (this.#watchers.size > 0) return;
      this.#unlisten?.();
      this.#unlisten = null;
      this.#told.clear();
    };
  }

  #see(session: SessionId, state: SessionState): void {
    const row = listedView(sessionView(state, { epoch: this.#sessions.epoch }));
    const words = wordsOf(row);
    const before = this.#told.get(session);
    if (before?.words === words) return;
    if (this.#told.size >= REMEMBERED) this.#told.clear();
    const need = row.need?.kind ?? null;
    this.#told.set(session, { words, need });
    this.#tell(state.tenant, session, { type: "session", session, ...row });
    // The earlier need of an unknown session is unknown, so the counts may have changed.
    if (before === undefined || before.need !== need) void this.#count(state.tenant);
  }

  /** Reads the counts once at a time: all changes during a read cause one further read. */
  async #count(tenant: string): Promise<void> {
    if (this.#counting.has(tenant)) {
      this.#counting.set(tenant, true);
      return;
    }
    try {
      do {
        this.#counting.set(tenant, false);
        const needs = await this.#journal.needs(tenant);
        this.#tell(tenant, "needs", { type: "needs", ...needs });
      } while (this.#counting.get(tenant) === true);
    } catch {
      // The store is closing or unreadable; the client reads the list again when it reconnects.
    } finally {
      this.#counting.delete(tenant);
    }
  }

  #tell(tenant: string, of: SessionId | "needs", said: object): void {
    const message = JSON.stringify(said);
    for (const [change, watched] of this.#watchers) if (watched === tenant) change(of, message);
  }
}

/** Streaming text is sent in pieces of this length; a working session is sent once a minute at least. */
const PIECE = 40;
const MINUTE = 60_000;
/** Output between turns marks a session as unread, so its row is sent sooner. */
const SECOND = 1000;

/** The fields whose change triggers a message; others differ with every event. */
function wordsOf({ happening, ...row }: ListedView): string {
  const { title, lifecycle, status, word, need, runtime, queued, recovery, lastActiveAt } = row;
  const said = happening?.kind === "said" ? Math.ceil(happening.text.length / PIECE) : null;
  const active = Math.floor(Date.parse(lastActiveAt) / (status === "running" ? MINUTE : SECOND));
  return JSON.stringify([
    ...[
      title,
      lifecycle,
      status,
      word,
      need?.since,
      runtime.state,
      queued,
      recovery.interruption?.reason,
      active,
      row.deleted,
    ],
    ...[happening?.kind, said ?? happening?.text],
  ]);
}
