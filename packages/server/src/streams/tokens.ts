/**
 * Delivers resume tokens in clear. Each is sent once, to the creator of its run: over a connection
 * that follows the session, or later when there is one. Tokens are kept in memory alone; the
 * journal has only their hash, and a creator who lost a token mints another.
 */

import { outcomeOf, type SessionId } from "@holdfast/protocol";
import type { Executed } from "../session/owner.ts";
import type { CallerSessions } from "../session/sessions.ts";
import type { StreamLimits } from "./limits.ts";

/** False when the token could not be sent this way. */
type Deliver = (runId: string, token: string) => boolean;

interface Follower {
  readonly session: SessionId;
  readonly callerId: string;
  readonly deliver: Deliver;
}

interface Kept {
  readonly session: SessionId;
  readonly callerId: string;
  readonly runId: string;
}

export class RunTokens {
  readonly #sessions: CallerSessions;
  readonly #limits: Pick<StreamLimits, "keptTokens" | "creators">;
  readonly #creators = new Map<string, string>();
  readonly #followers = new Set<Follower>();
  readonly #kept = new Map<string, Kept>();

  constructor(sessions: CallerSessions, limits: Pick<StreamLimits, "keptTokens" | "creators">) {
    this.#sessions = sessions;
    this.#limits = limits;
    sessions.onDurable((_session, executed) => this.#forgetEnded(executed));
  }

  /** `id` is the run's, or its message's before the run exists: a queued message has no run. */
  created(id: string, callerId: string): void {
    this.#creators.set(id, callerId);
    dropOldest(this.#creators, this.#limits.creators);
  }

  /** Sends a minted token. It is dropped when this process does not know the run's creator. */
  async offer(session: SessionId, runId: string, token: string): Promise<void> {
    // An unreadable session has no run to resume.
    const state = await this.#sessions.state(session).catch(() => null);
    const run = state?.run ?? null;
    if (run?.id !== runId || run.outcome !== null) return;
    const callerId = this.#creators.get(runId) ?? this.#creators.get(run.messageId);
    if (callerId === undefined) return;
    // The latest follower is the most likely to be connected.
    for (const follower of [...this.#followers].reverse()) {
      const isTheirs = follower.session === session && follower.callerId === callerId;
      if (isTheirs && follower.deliver(runId, token)) return;
    }
    this.#kept.set(token, { session, callerId, runId });
    dropOldest(this.#kept, this.#limits.keptTokens);
  }

  /** Delivers kept tokens at once, and later ones until the returned function is called. */
  follow(session: SessionId, callerId: string, deliver: Deliver): () => void {
    const follower = { session, callerId, deliver };
    this.#followers.add(follower);
    for (const [token, kept] of this.#kept) {
      const isTheirs = kept.session === session && kept.callerId === callerId;
      if (isTheirs && deliver(kept.runId, token)) this.#kept.delete(token);
    }
    return () => this.#followers.delete(follower);
  }

  #forgetEnded({ state, events }: Executed): void {
    for (const event of events) {
      if (outcomeOf(event.kind) === undefined) continue;
      const { runId } = event as { runId: string };
      this.#creators.delete(runId);
      if (state.run?.id === runId) this.#creators.delete(state.run.messageId);
      for (const [token, kept] of this.#kept) if (kept.runId === runId) this.#kept.delete(token);
    }
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
