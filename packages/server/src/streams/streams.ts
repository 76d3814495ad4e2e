/** All open streams and sockets; ends them with the host, or with their credential. */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import type { Journal } from "../journal/journal.ts";
import type { CallerSessions } from "../session/sessions.ts";
import { every } from "./every.ts";
import { type StreamLimits, streamLimits } from "./limits.ts";
import { RunTokens } from "./tokens.ts";
import { readUnconfirmed, type Unconfirmed } from "./unconfirmed.ts";

export interface Stream {
  readonly callerId: string | null;
  /** Ends with a message that tells the reader where to continue. */
  restart(): void;
  /** Tells the reader that the credential was revoked, and ends. */
  revoke(): void;
  cut(): void;
  /** Checks the kernel's numbers for its connection; closes it when its reader is gone. */
  look?(unconfirmed: Unconfirmed): void;
}

interface StreamsOptions {
  readonly sessions: CallerSessions;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly limits?: Partial<StreamLimits>;
  /** Gets errors without a code; the reader gets `internal`. */
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

/** Revoked credentials to remember, because a connection may be in the middle of its admission. */
const REVOKED = 1000;

export class Streams {
  readonly sessions: CallerSessions;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly tokens: RunTokens;
  readonly onError: (session: SessionId | null, error: unknown) => void;
  readonly #open = new Set<Stream>();
  readonly #revoked = new Set<string>();
  readonly #allGone = Promise.withResolvers<void>();
  #isClosed = false;
  #looking: (() => void) | null = null;

  constructor({ sessions, journal, clock, limits, onError }: StreamsOptions) {
    this.sessions = sessions;
    this.journal = journal;
    this.clock = clock;
    this.limits = { ...streamLimits, ...limits };
    this.tokens = new RunTokens(sessions, this.limits);
    this.onError = onError;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The refusal of a new stream: the host is closing, or the credential was revoked. */
  refusal(callerId: string | null): HostError | null {
    if (this.#isClosed) {
      return new HostError("journal_closed", "The host is stopping. Try again in a moment.");
    }
    if (callerId === null || !this.#revoked.has(callerId)) return null;
    return new HostError("forbidden", "This credential was revoked. Sign in again.");
  }

  full(callerId: string): HostError | null {
    const most = this.limits.streamsPerCredential;
    let count = 0;
    for (const stream of this.#open) if (stream.callerId === callerId) count++;
    if (count < most) return null;
    return new HostError(
      "limit_reached",
      `This credential already has ${most} streams. Close one first.`,
    );
  }

  crowded(session: SessionId): HostError | null {
    const most = this.limits.readersPerSession;
    if (this.sessions.followers(session) < most) return null;
    return new HostError(
      "limit_reached",
      `${most} clients already follow this session. Try again later.`,
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

  /** Call when a credential is revoked or expires: its connections are closed within a second. */
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

  /** Call before the host closes. Resolves when every reader has its last message, or after a timeout. */
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
