/**
 * All subscriptions to one host, over the available transport. Each session has one follower, which
 * alone knows its position; the feed only delivers later events to it.
 */

import { Cell, type Watchable } from "../cell.ts";
import type { Access } from "../request.ts";
import type { Clock } from "../timers.ts";
import type { Follower, Heard, ListFollower, ListHeard } from "./heard.ts";
import type { OpenSocket } from "./link.ts";
import { Socket } from "./socket.ts";
import { Streams } from "./streams.ts";
import type { Transport, TransportPort, TransportState } from "./transport.ts";
import { type Page, watchOffline, watchWake } from "./wake.ts";

/** The state of the connection to the host. None of these is an error. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live"; readonly via: Transport["via"] }
  /** Connected, and this many events behind. */
  | { readonly state: "catching_up"; readonly behind: number; readonly via: Transport["via"] }
  | { readonly state: "away"; readonly reason: string; readonly retryInMs: number }
  | { readonly state: "unauthorized"; readonly reason: string };

interface FeedOptions {
  readonly access: Access;
  readonly clock: Clock;
  readonly page: Page;
  readonly open: OpenSocket | null;
}

export interface Following {
  /** Restarts at the follower's current position. */
  again(): void;
  stop(): void;
}

/** Time until a WebSocket is tried again, since the proxy or the network may have changed. */
const SOCKET_AGAIN = 5 * 60_000;

export class Feed implements TransportPort {
  readonly access: Access;
  readonly clock: Clock;
  readonly open: OpenSocket | null;
  readonly followers = new Map<string, Follower>();
  readonly connection: Watchable<Connection>;
  readonly #page: Page;
  readonly #connection = new Cell<Connection>({ state: "connecting" });
  readonly #heads = new Map<string, number>();
  readonly #lists = new Set<ListFollower>();
  readonly #wakers = new Set<() => void>();
  #transport: Transport | null = null;
  #state: TransportState = { state: "connecting" };
  #isReachable = true;
  #isClosed = false;
  #stops: (() => void)[] = [];

  constructor({ access, clock, page, open }: FeedOptions) {
    this.access = access;
    this.clock = clock;
    this.open = open;
    this.#page = page;
    this.connection = this.#connection;
  }

  /** Connects, once. Following a session calls this too. */
  start(): void {
    if (this.#transport !== null || this.#isClosed) return;
    this.#stops.push(
      watchWake(this.clock, this.#page, () => this.wake()),
      watchOffline(this.#page, () => this.#transport?.doubt("This device is offline.")),
    );
    this.#carry();
  }

  follow(session: string, follower: Follower): Following {
    if (this.followers.has(session)) throw new Error(`${session} is followed already.`);
    this.followers.set(session, follower);
    if (this.#transport === null) this.start();
    else this.#transport.follow(session);
    return {
      again: () => {
        if (this.followers.get(session) === follower) this.#transport?.follow(session);
      },
      stop: () => {
        if (this.followers.get(session) !== follower) return;
        this.followers.delete(session);
        this.#heads.delete(session);
        this.#transport?.unfollow(session);
        this.#tell();
      },
    };
  }

  followList(follower: ListFollower): () => void {
    this.#lists.add(follower);
    if (this.#transport === null) this.start();
    else if (this.#lists.size === 1) this.#transport.followList();
    else follower({ type: "stale" });
    return () => {
      if (this.#lists.delete(follower) && this.#lists.size === 0) this.#transport?.unfollowList();
    };
  }

  /** Calls `call` whenever work that waits for the host should be tried now. */
  onWake(call: () => void): () => void {
    this.#wakers.add(call);
    return () => this.#wakers.delete(call);
  }

  wake(): void {
    this.#transport?.wake();
    if (this.#isReachable) this.#tryNow();
  }

  /** False from a loss until the host answers again: meanwhile only the feed tries to reach it. */
  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** Call while waiting for the host's answer: a half-open connection is then detected in seconds. */
  ask(): void {
    this.#transport?.ask();
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#transport?.close();
  }

  get isListFollowed(): boolean {
    return this.#lists.size > 0;
  }

  hear(session: string, heard: Heard): void {
    const follower = this.followers.get(session);
    if (follower === undefined) return;
    if (heard.type === "following" && heard.seq !== null) this.#heads.set(session, heard.seq);
    follower.hear(heard);
    this.#tell();
  }

  hearList(heard: ListHeard): void {
    for (const follower of [...this.#lists]) follower(heard);
  }

  stand(state: TransportState): void {
    const wasLive = this.#state.state === "live";
    this.#state = state;
    if (state.state !== "live") this.#heads.clear();
    // A connection attempt does not change it; only its result does.
    if (state.state !== "connecting") this.#isReachable = state.state !== "away";
    this.#tell();
    if (state.state === "live" && !wasLive) this.#tryNow();
  }

  cannot(): void {
    this.#transport?.close();
    this.#transport = new Streams(this);
    this.#tell();
    const cancel = this.clock.after(SOCKET_AGAIN, () => {
      this.#transport?.close();
      this.#carry();
    });
    this.#stops.push(cancel);
  }

  #carry(): void {
    if (this.#isClosed) return;
    this.#transport = this.open === null ? new Streams(this) : new Socket(this, this.open);
    this.#tell();
  }

  #tryNow(): void {
    for (const call of [...this.#wakers]) call();
  }

  #tell(): void {
    this.#connection.set(this.#seen());
  }

  #seen(): Connection {
    const last = this.#connection.getSnapshot();
    if (this.#state.state !== "live") return this.#state;
    const via = this.#transport?.via ?? "socket";
    const behind = this.#behind();
    if (behind > 0) return { state: "catching_up", behind, via };
    return last.state === "live" && last.via === via ? last : { state: "live", via };
  }

  #behind(): number {
    let sum = 0;
    for (const [session, head] of this.#heads) {
      const left = head - (this.followers.get(session)?.position() ?? head);
      if (left > 0) sum += left;
      else this.#heads.delete(session);
    }
    return sum;
  }
}
