/**
 * The transport without a WebSocket: Server-Sent Events, one stream per followed session, and the
 * list polled from time to time. A browser allows six connections to a host over HTTP/1.1, so this
 * is enough for one open session per tab and a few tabs; a WebSocket is tried again later.
 */

import { ApiError, problemError } from "../errors.ts";
import { type Followed, follow, type StreamState } from "../event-stream.ts";
import type { Heard } from "./heard.ts";
import type { Transport, TransportPort } from "./transport.ts";

/** As often as the host sends a heartbeat. */
const LIST_AGAIN = 15_000;
/** After this much silence a wake reconnects a stream. */
const TRUSTED = 20_000;

interface Stream {
  readonly abort: AbortController;
  state: StreamState;
  heardAt: number;
}

export class Streams implements Transport {
  readonly via = "stream";
  readonly #for: TransportPort;
  readonly #streams = new Map<string, Stream>();
  #cancelList = () => {};
  #isOver = false;

  constructor(port: TransportPort) {
    this.#for = port;
    for (const session of port.followers.keys()) this.follow(session);
    if (port.isListFollowed) this.followList();
    this.#stand();
  }

  follow(session: string): void {
    this.#drop(session);
    const abort = new AbortController();
    const heardAt = this.#for.clock.now();
    const stream: Stream = { abort, state: { state: "connecting" }, heardAt };
    this.#streams.set(session, stream);
    void this.#read(session, stream);
  }

  /** The closed stream no longer counts for the connection's state. */
  unfollow(session: string): void {
    this.#drop(session);
    this.#stand();
  }

  followList(): void {
    this.#cancelList();
    this.#for.hearList({ type: "stale" });
    this.#cancelList = this.#for.clock.after(LIST_AGAIN, () => this.followList());
  }

  unfollowList(): void {
    this.#cancelList();
  }

  wake(): void {
    const now = this.#for.clock.now();
    for (const session of this.#for.followers.keys()) {
      const stream = this.#streams.get(session);
      // A refused session has no stream, and may be accepted now.
      const isSound = stream !== undefined && stream.state.state !== "away";
      if (!isSound || now - stream.heardAt > TRUSTED) this.follow(session);
    }
    if (this.#for.isListFollowed) this.followList();
  }

  /** A stream is one-way, so it cannot be probed. */
  ask(): void {}

  doubt(): void {
    for (const session of [...this.#streams.keys()]) this.follow(session);
  }

  close(): void {
    this.#isOver = true;
    this.#cancelList();
    for (const session of [...this.#streams.keys()]) this.#drop(session);
  }

  #drop(session: string): void {
    this.#streams.get(session)?.abort.abort();
    this.#streams.delete(session);
  }

  async #read(session: string, stream: Stream): Promise<void> {
    const { access, clock, followers } = this.#for;
    const { signal } = stream.abort;
    const hear = (heard: Heard) => this.#for.hear(session, heard);
    const position = () => followers.get(session)?.position() ?? 0;
    const onState = (state: StreamState) => {
      stream.state = state;
      this.#stand();
      if (state.state === "live") hear({ type: "following", after: position(), seq: null });
    };
    try {
      const options = { ...access, timers: clock, session, after: position(), signal, onState };
      for await (const followed of follow(options)) {
        stream.heardAt = clock.now();
        const heard = heardOf(followed);
        if (heard !== null) hear(heard);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status === 401) {
        this.close();
        this.#for.stand({ state: "unauthorized", reason: "Sign in again." });
        return;
      }
      const said = error instanceof Error ? error.message : String(error);
      const refusal = error instanceof ApiError ? error : problemError({ message: said });
      // A host that refuses is reachable.
      this.unfollow(session);
      hear({ type: "refused", error: refusal });
    }
  }

  /** The state of the worst stream. */
  #stand(): void {
    if (this.#isOver) return;
    const states = [...this.#streams.values()].map(({ state }) => state);
    const away = states.find((state) => state.state === "away");
    if (away?.state === "away") {
      const { error, retryInMs } = away;
      this.#for.stand({ state: "away", reason: error.message, retryInMs });
    } else {
      const isLive = states.every(({ state }) => state === "live");
      this.#for.stand({ state: isLive ? "live" : "connecting" });
    }
  }
}

function heardOf(followed: Followed): Heard | null {
  switch (followed.type) {
    case "event":
      return { type: "events", events: [followed.event] };
    case "heartbeat":
      return { ...followed.data, type: "heartbeat" };
    case "reset":
      return { ...followed.data, type: "reset" };
    case "token":
      return { ...followed.data, type: "token" };
    case "end":
      return followed.reason === "gone" ? { type: "gone" } : null;
  }
}
