/**
 * One WebSocket for many sessions, kept up for as long as it is wanted. Loss is a state: it comes back
 * by itself, with pauses that grow and that a wake ends.
 */

import { routeUrl, send } from "../request.ts";
import { pauseAfter } from "../timers.ts";
import type { Carried, Carrier } from "./carrier.ts";
import { Link, type Loss, type OpenSocket } from "./link.ts";
import type { Frame } from "./socket-frames.ts";

const UNAUTHORIZED = 4401;
/** So long it must have lasted to count as good: who is let in and thrown out again must not storm. */
const STEADY = 5_000;
/** An attempt that a wake finds this old was begun on a network that is gone. */
const STALE_ATTEMPT = 3_000;
/** However many signals a thaw sends, attempts are this far apart. */
const BETWEEN = 500;
/** Once may be a host that comes up just then. */
const REFUSALS = 2;
const HEALTH = 5_000;

export class Socket implements Carrier {
  readonly via = "socket";
  readonly #for: Carried;
  readonly #open: OpenSocket;
  /** Subscriptions asked for and not answered: what comes until then belongs to an older one. */
  readonly #unanswered = new Map<string, number>();
  #link: Link | null = null;
  #state: "connecting" | "live" | "away" | "over" = "away";
  #begunAt = Number.NEGATIVE_INFINITY;
  #liveSince: number | null = null;
  #failures = 0;
  #refusals = 0;
  #cancelRetry = () => {};

  constructor(carried: Carried, open: OpenSocket) {
    this.#for = carried;
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
      this.#link?.cut("It was too old.");
    else if (this.#state === "away") this.#retryIn(Math.max(0, BETWEEN - age));
  }

  ask(): void {
    if (this.#state === "live") this.#link?.probe();
  }

  /** A host on this very machine is found again at once, and only then is said to be there. */
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
        else this.#link?.cut("The host restarts.");
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

  /** The host knows who we are: it answers nobody else. */
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

  /** No socket, but a host: then someone between us does not let it through. */
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
