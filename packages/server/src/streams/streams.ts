/**
 * Every connection that is followed over, and the two ways to end them from outside: all, because the
 * host goes down, or those of one credential, because it was revoked.
 */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Clock } from "../clock.ts";
import type { Sessions } from "../session/sessions.ts";
import { every } from "./every.ts";
import { type StreamLimits, streamLimits } from "./limits.ts";
import { RunTokens } from "./tokens.ts";
import { readUnconfirmed, type Unconfirmed } from "./unconfirmed.ts";

export interface Stream {
  /** The id of the credential it came in by; null until that is known. */
  readonly callerId: string | null;
  /** Ends with a marker from which its reader goes on. */
  restart(): void;
  /** Says that the credential is gone, and ends. */
  revoke(): void;
  /** Ends without a word. */
  cut(): void;
  /** Looks at what the kernel says of its connection; one that nobody reads any more is cut. */
  look?(unconfirmed: Unconfirmed): void;
}

export interface StreamsOptions {
  readonly sessions: Sessions;
  readonly limits?: Partial<StreamLimits>;
  /** A failure that no code has a word for; the reader is told `internal`. */
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

/** Credentials revoked in this life that are remembered: one may be on its way in just then. */
const REVOKED = 1000;

export class Streams {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly tokens: RunTokens;
  readonly onError: (session: SessionId | null, error: unknown) => void;
  readonly #open = new Set<Stream>();
  readonly #revoked = new Set<string>();
  readonly #allGone = Promise.withResolvers<void>();
  #isClosed = false;
  #looking: (() => void) | null = null;

  constructor({ sessions, limits, onError }: StreamsOptions) {
    this.sessions = sessions;
    this.clock = sessions.clock;
    this.limits = { ...streamLimits, ...limits };
    this.tokens = new RunTokens(sessions, this.limits);
    this.onError = onError;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Why nothing can be followed now, or not by this caller. */
  refusal(callerId: string | null): HostError | null {
    if (this.#isClosed) {
      return new HostError("journal_closed", "The host is going down. Come back in a moment.");
    }
    if (callerId === null || !this.#revoked.has(callerId)) return null;
    return new HostError("forbidden", "This credential was revoked. Sign in again.");
  }

  /** Why there is no room for one more stream of this credential. */
  full(callerId: string): HostError | null {
    const most = this.limits.streamsPerCredential;
    let count = 0;
    for (const stream of this.#open) if (stream.callerId === callerId) count++;
    if (count < most) return null;
    return new HostError("limit_reached", `This credential has ${most} streams. Close one first.`);
  }

  /** Why there is no room for one more reader of this session. */
  crowded(session: SessionId): HostError | null {
    const most = this.limits.readersPerSession;
    if (this.sessions.followers(session) < most) return null;
    return new HostError(
      "limit_reached",
      `${most} already follow this session. Try again when some have left.`,
    );
  }

  add(stream: Stream): void {
    this.#open.add(stream);
    this.#looking ??= every(this.clock, this.limits.look, () => this.#look());
  }

  remove(stream: Stream): void {
    this.#open.delete(stream);
    if (this.#open.size === 0) this.#stopLooking();
    if (this.#isClosed && this.#open.size === 0) this.#allGone.resolve();
  }

  /** Call when a credential is revoked or runs out: all that came in by it is closed within a second. */
  revoke(callerId: string): void {
    this.#revoked.add(callerId);
    for (const oldest of this.#revoked) {
      if (this.#revoked.size <= REVOKED) break;
      this.#revoked.delete(oldest);
    }
    for (const stream of [...this.#open]) {
      if (stream.callerId === callerId) stream.revoke();
    }
  }

  #look(): void {
    const unconfirmed = readUnconfirmed();
    if (unconfirmed === null) return;
    for (const stream of [...this.#open]) stream.look?.(unconfirmed);
  }

  #stopLooking(): void {
    this.#looking?.();
    this.#looking = null;
  }

  /** Call before the host closes. Resolves when every reader has its marker, or has had its time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stream of [...this.#open]) stream.restart();
    if (this.#open.size === 0) return;
    const cancel = this.clock.after(this.limits.closing, () => {
      for (const stream of [...this.#open]) stream.cut();
      this.#allGone.resolve();
    });
    await this.#allGone.promise;
    cancel();
  }
}
