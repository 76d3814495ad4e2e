/**
 * The live list: one message whenever a word that a list shows about a session changes, made once for
 * all who watch. What changes with every event, such as its last seq, is told along but is no reason.
 */

import { deriveStatus, type SessionId, type SessionState } from "@holdfast/protocol";
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
    const { lifecycle, status } = deriveStatus(state, { epoch: this.#sessions.epoch });
    const { title, updatedAt, seq: lastSeq } = state;
    const words = `${lifecycle} ${status} ${title}`;
    if (this.#words.get(session) === words) return;
    if (this.#words.size >= REMEMBERED) this.#words.clear();
    this.#words.set(session, words);
    const row = { type: "session", session, lifecycle, status, title, updatedAt, lastSeq };
    const message = JSON.stringify(row);
    for (const [change, tenant] of this.#watchers) {
      if (tenant === state.tenant) change(session, message);
    }
  }
}
