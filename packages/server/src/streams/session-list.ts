/**
 * The live list: one message whenever a word that a list shows about a session changes, made once for
 * all who watch. What changes with every event, such as its last seq, is told along but is no reason.
 */

import {
  type ListedView,
  listedView,
  type SessionId,
  type SessionState,
  sessionView,
} from "@holdfast/protocol";
import type { Sessions } from "../session/sessions.ts";

export type ListChange = (session: SessionId, message: string) => void;

/** Sessions whose last words are remembered; a forgotten one is merely told once more. */
const REMEMBERED = 20_000;

export class SessionList {
  readonly #sessions: Sessions;
  readonly #watchers = new Map<ListChange, string>();
  readonly #words = new Map<SessionId, string>();
  #unlisten: (() => void) | null = null;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Calls back for sessions of this tenant until the returned function is called. */
  watch(tenant: string, change: ListChange): () => void {
    this.#watchers.set(change, tenant);
    this.#unlisten ??= this.#sessions.onDurable((session, { state }) => this.#see(session, state));
    return () => {
      this.#watchers.delete(change);
      if (this.#watchers.size > 0) return;
      this.#unlisten?.();
      this.#unlisten = null;
      this.#words.clear();
    };
  }

  #see(session: SessionId, state: SessionState): void {
    const row = listedView(sessionView(state, { epoch: this.#sessions.epoch }));
    const words = wordsOf(row);
    if (this.#words.get(session) === words) return;
    if (this.#words.size >= REMEMBERED) this.#words.clear();
    this.#words.set(session, words);
    const message = JSON.stringify({ type: "session", session, ...row });
    for (const [change, tenant] of this.#watchers) {
      if (tenant === state.tenant) change(session, message);
    }
  }
}

/** Words that stream in are told a piece at a time, and a session at work at least so often. */
const PIECE = 40;
const MINUTE = 60_000;

/** What makes it worth telling: the row itself differs with every event. */
function wordsOf({ happening, ...row }: ListedView): string {
  const { title, lifecycle, status, runtime, queued, recovery, lastActiveAt } = row;
  const said = happening?.kind === "said" ? Math.ceil(happening.text.length / PIECE) : null;
  const active = Math.floor(Date.parse(lastActiveAt) / MINUTE);
  return JSON.stringify([
    ...[title, lifecycle, status, runtime.state, queued, recovery.interruption?.reason, active],
    ...[happening?.kind, said ?? happening?.text],
  ]);
}
