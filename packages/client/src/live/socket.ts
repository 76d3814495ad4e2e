/**
 * Keeps one WebSocket for many sessions connected. A loss is a state: it reconnects by itself, with
 * growing pauses that a wake ends.
 */

import { routeUrl, send } from "../request.ts";
import { pauseAfter } from "../timers.ts";
import { Link, type Loss, type OpenSocket } from "./link.ts";
import type { Frame } from "./socket-frames.ts";
import type { Transport, TransportPort } from "./transport.ts";

const UNAUTHORIZED = 4401;
/** A connection of this age counts as stable; one that closes at once must not loop. */
const STEADY = 5_000;
/** A wake restarts an attempt of this age, because its network may be gone. */
const STALE_ATTEMPT = 3_000;
/** Minimum time between attempts, however many signals a thaw sends. */
const BETWEEN = 500;
/** Refused sockets before streams are used; a single one may come from a host that is starting. */
const REFUSALS = 2;
const HEALTH = 5_000;

export class Socket implements Transport {
  readonly via = "socket";
  readonly #for: TransportPort;
  readonly #open: OpenSocket;
  /** Subscriptions without an answer yet: until then, messages belong to an older one. */
  readonly #unanswered = new Map<string, number>();
  #link: Link | null = null;
  #state: "connecting" | "live" | "away" | "over" = "away";
  #begunAt = Number.NEGATIVE_INFINITY;
  #liveSince: number | null = null;
  #failures = 0;
  #refusals = 0;
  #cancelRetry = () => {};

  constructor(port: TransportPort, open: OpenSocket) {
    this.#for = port;
    this.#open = open;
    this.#connect();
  }

  follow(session: string): void {
    const follower = this.#for.followers.get(session);
    if (follower === undefined || !this.#link?.isOpen) return;
    this.#unanswered.set(session, (this.#unanswered.get(session) ?? 0) + 1);
    this.#link.say({ type: "subscribe", session, after: follower.position() });
  }

  unfollow(session: string): void {
    this.#link?.say({ type: "unsubscribe", session });
  }

  followList(): void {
    this.#link?.say({ type: "subscribe_sessions" });
  }

  unfollowList(): void {
    this.#link?.say({ type: "unsubscribe_sessions" });
  }

  wake(): void {
    if (this.#state === "over") return;
    this.#failures = 0;
    const age = this.#for.clock.now() - this.#begunAt;
    if (this.#state === "live") this.#link?.probe();
    else if (this.#state === "connecting" && age >= STALE_ATTEMPT)
      this.#link?.cut("The connection was too old.");
    else if (this.#state === "away") this.#retryIn(Math.max(0, BETWEEN - age));
  }

  ask(): void {
    if (this.#state === "live") this.#link?.probe();
  }

  /** Drops the link and reconnects; a host on this machine is still reachable without a network. */
  doubt(reason: string): void {
    this.#link?.cut(reason);
  }

  close(): void {
    this.#state = "over";
    this.#cancelRetry();
    this.#link?.close();
  }

  #connect(): void {
    const { access, clock } = this.#for;
    this.#begunAt = clock.now();
    this.#state = "connecting";
    this.#for.stand({ state: "connecting" });
    this.#link = new Link({
      url: socketUrl(routeUrl(access.url, "socket")),
      token: access.token,
      open: this.#open,
      timers: clock,
      onOpen: () => this.#opened(),
      onFrame: (frame) => this.#deal(frame),
      onLost: (loss) => this.#lost(loss),
    });
  }

  #opened(): void {
    for (const session of this.#for.followers.keys()) this.follow(session);
    if (this.#for.isListFollowed) this.followList();
  }

  #deal(frame: Frame): void {
    switch (frame.type) {
      case "pong":
        this.#answered();
        break;
      case "subscribed":
        this.#answer(frame.session);
        this.#answered();
        if (this.#isAnswered(frame.session)) this.#for.hear(frame.session, frame.heard);
        break;
      case "session":
        if (this.#isAnswered(frame.session)) this.#for.hear(frame.session, frame.heard);
        break;
      case "ended":
        if (frame.reason === "gone") this.#for.hear(frame.session, { type: "gone" });
        else this.#link?.cut("The host is restarting.");
        break;
      case "refused":
        if (frame.session === null) return;
        this.#answer(frame.session);
        if (!this.#isAnswered(frame.session)) return;
        this.#for.hear(frame.session, { type: "refused", error: frame.error });
        break;
      case "listing":
        this.#for.hearList({ type: "stale" });
        break;
      case "row":
      case "needs":
        this.#for.hearList(frame);
        break;
    }
  }

  /** The host answers only after authentication, so the connection is live now. */
  #answered(): void {
    if (this.#state !== "connecting") return;
    this.#state = "live";
    this.#liveSince = this.#for.clock.now();
    this.#refusals = 0;
    this.#for.stand({ state: "live" });
  }

  #answer(session: string): void {
    const left = (this.#unanswered.get(session) ?? 0) - 1;
    if (left > 0) this.#unanswered.set(session, left);
    else this.#unanswered.delete(session);
  }

  #isAnswered(session: string): boolean {
    return !this.#unanswered.has(session);
  }

  #lost({ wasOpen, code, reason }: Loss): void {
    const { clock } = this.#for;
    this.#link = null;
    this.#unanswered.clear();
    if (code === UNAUTHORIZED) {
      this.#state = "over";
      this.#for.stand({ state: "unauthorized", reason: "Sign in again." });
      return;
    }
    if (this.#liveSince !== null && clock.now() - this.#liveSince >= STEADY) this.#failures = 0;
    this.#liveSince = null;
    this.#state = "away";
    const retryInMs = pauseAfter(this.#failures++, clock.random);
    this.#for.stand({ state: "away", reason, retryInMs });
    this.#retryIn(retryInMs);
    if (!wasOpen) void this.#suspect();
  }

  #retryIn(ms: number): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#for.clock.after(ms, () => this.#connect());
  }

  /** The socket is refused while the host is reachable: then a proxy may be blocking WebSockets. */
  async #suspect(): Promise<void> {
    this.#refusals = (await this.#isThere()) ? this.#refusals + 1 : 0;
    if (this.#refusals >= REFUSALS && this.#state !== "over") this.#for.cannot();
  }

  async #isThere(): Promise<boolean> {
    const { access, clock } = this.#for;
    const limit = new AbortController();
    const cancel = clock.after(HEALTH, () => limit.abort());
    try {
      return (await send(access, routeUrl(access.url, "health"), { signal: limit.signal })).ok;
    } catch {
      return false;
    } finally {
      cancel();
    }
  }
}

/** An address may be relative to the page. */
function socketUrl(url: string): string {
  const { location } = globalThis as { location?: { readonly href: string } };
  return new URL(url, location?.href).href.replace(/^http/, "ws");
}
