/**
 * Follows a session or a run over any number of lost connections: every event once and in order,
 * from `after` on. A lost connection is a state, not an error; only a refusal ends the stream.
 */

import { type ConnectionOptions, framesOf } from "./connection.ts";
import { type Followed, type Read, readFrame } from "./cursor.ts";
import { ApiError, StreamError, TransportError } from "./errors.ts";
import { type Access, routeUrl } from "./request.ts";
import { pauseAfter, sleep, systemTimers, type Timers } from "./timers.ts";

export type { Followed } from "./cursor.ts";

export type StreamState =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  /** Disconnected, with the reason; it reconnects by itself. */
  | { readonly state: "away"; readonly error: Error; readonly retryInMs: number };

export type FollowTarget = { readonly session: string } | { readonly run: string };

export interface FollowSettings {
  /** The last seq already received. Absent: from the beginning. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onState?: ((state: StreamState) => void) | undefined;
}

export type FollowOptions = Access & FollowTarget & FollowSettings & { readonly timers?: Timers };

type Left = "done" | "recycled" | "cut" | { readonly broken: string };

/** The heartbeat that greets every connection; only later frames show that it is useful. */
const GREETING = 1;

/** Ends only after `end`, or silently when the signal is aborted. */
export async function* follow(options: FollowOptions): AsyncGenerator<Followed, void, void> {
  const { timers = systemTimers, onState = () => undefined } = options;
  const signal = options.signal ?? new AbortController().signal;
  const position = new Position(options);
  let failures = 0;
  while (!signal.aborted) {
    onState({ state: "connecting" });
    const seen = position.moves;
    let error: Error = new TransportError("The connection was lost.");
    try {
      const onOpen = () => onState({ state: "live" });
      const left = yield* listen(position, { ...options, timers, signal, onOpen });
      if (left === "done") return;
      if (typeof left === "object") error = position.brokenAgain(left.broken);
      // Reconnects at once only if the last connection was useful, to avoid a reconnect loop.
      if (left === "recycled" && position.moves > seen + GREETING) {
        failures = 0;
        continue;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (!(thrown instanceof TransportError || (thrown instanceof ApiError && thrown.mayRetry))) {
        throw thrown;
      }
      error = thrown;
    }
    if (position.moves > seen + GREETING) failures = 0;
    const retryInMs = pauseAfter(failures++, timers.random);
    onState({ state: "away", error, retryInMs });
    await sleep(timers, retryInMs, signal);
  }
}

async function* listen(
  position: Position,
  options: ConnectionOptions,
): AsyncGenerator<Followed, Left, void> {
  const frames = framesOf(position.url(options), options);
  try {
    while (true) {
      const { done, value } = await frames.next();
      if (options.signal.aborted) return "done";
      if (done) {
        if (value) return "cut";
        yield { type: "end", reason: "done" };
        return "done";
      }
      const read = position.read(value);
      if (read.is === "refused") throw read.error;
      if (read.is === "over") return isRecycling(read.reason) ? "recycled" : "cut";
      if (read.is === "broken") return { broken: read.why };
      if (read.is !== "followed") continue;
      yield read.followed;
      if (read.followed.type === "end") return "done";
    }
  } finally {
    await frames.return(true);
  }
}

function isRecycling(reason: string): boolean {
  return reason === "recycle" || reason === "restart";
}

/** A follower's position, and the seq at which the stream was last invalid. */
class Position {
  /** Number of valid frames: each shows that the connection was useful. */
  moves = 0;
  #seq: number | null;
  #brokenAt: number | null | undefined;
  readonly #target: FollowTarget;

  constructor(options: FollowTarget & FollowSettings) {
    this.#target = options;
    this.#seq = options.after ?? ("run" in options ? null : 0);
  }

  url(access: Access): string {
    const query = { after: this.#seq ?? undefined };
    return "run" in this.#target
      ? routeUrl(access.url, "followRun", { runId: this.#target.run }, query)
      : routeUrl(access.url, "followSession", { sessionId: this.#target.session }, query);
  }

  read(frame: Parameters<typeof readFrame>[0]): Read {
    const read = readFrame(frame, this.#seq);
    if (read.is === "followed") {
      this.moves++;
      this.#seq = read.seq;
    }
    return read;
  }

  /** The first time may be a transmission error; at the same seq again it is the host's own data. */
  brokenAgain(why: string): TransportError {
    if (this.#brokenAt === this.#seq) {
      throw new StreamError(
        `The host sent an invalid stream after event ${this.#seq} twice: ${why}.`,
      );
    }
    this.#brokenAt = this.#seq;
    return new TransportError(`The host sent an invalid stream: ${why}.`);
  }
}
