/** The client of one host: calls, the feed, stores and the outbox, wired together. */

import { when } from "./cell.ts";
import { type Client, createClient, randomKey } from "./client.ts";
import type { ApiError } from "./errors.ts";
import { Feed } from "./live/feed.ts";
import type { OpenSocket, WebSocketLike } from "./live/link.ts";
import { untilAnswered } from "./live/pause.ts";
import { type Page, thisPage } from "./live/wake.ts";
import { type Locks, theseLocks } from "./locks.ts";
import { type IndexedDbFactory, openOutboxStorage } from "./outbox/indexed-db.ts";
import type { OutboxStorage } from "./outbox/item.ts";
import { type Channel, Outbox } from "./outbox/outbox.ts";
import type { Access } from "./request.ts";
import { ResumeAttempt } from "./session/resume-attempt.ts";
import { type KeyValues, Seen } from "./session/seen.ts";
import { SessionStore } from "./session/session-store.ts";
import { type SessionQuery, SessionsStore } from "./sessions-store.ts";
import { type Clock, systemClock } from "./timers.ts";

/** Every option except the access defaults to what the platform offers; null: not available. */
export interface HoldfastOptions extends Access {
  readonly clock?: Clock;
  readonly page?: Page;
  readonly openSocket?: OpenSocket | null;
  /** Stores how far this device has read each session. */
  readonly keyValues?: KeyValues | null;
  readonly outboxStorage?: Promise<OutboxStorage>;
  /** Items under one name are delivered with one credential: give each sign-in its own name. */
  readonly outboxName?: string;
  readonly locks?: Locks | null;
  readonly channel?: Channel | null;
  readonly newId?: () => string;
}

export class Holdfast {
  readonly client: Client;
  readonly feed: Feed;
  readonly outbox: Outbox;
  readonly seen: Seen;
  readonly #clock: Clock;
  readonly #locks: Locks | null;
  readonly #sessions = new Map<string, SessionStore>();

  constructor(options: HoldfastOptions) {
    const { clock = systemClock, locks = theseLocks(), outboxName = "holdfast-outbox" } = options;
    const { url, token, fetch } = options;
    const access = { url, token, fetch };
    this.#clock = clock;
    this.#locks = locks;
    this.client = createClient({ ...access, timers: clock });
    const { page = thisPage(), openSocket: open = thisSocket() } = options;
    this.feed = new Feed({ access, clock, page, open });
    const { keyValues = thisStorage() } = options;
    this.seen = new Seen(keyValues);
    const { channel = thisChannel(page, outboxName), newId = randomKey } = options;
    const storage =
      options.outboxStorage ??
      openOutboxStorage({ factory: thisDatabase(), name: outboxName, timers: clock });
    const { feed } = this;
    // A single try, because the outbox retries by itself.
    const client = createClient({ ...access, timers: clock, tries: 1 });
    const reached = (session: string, seq: number) => this.#reached(session, seq);
    this.outbox = new Outbox({ client, feed, clock, storage, locks, channel, newId, reached });
  }

  /** One store per session, shared by all its watchers. */
  session(session: string): SessionStore {
    const known = this.#sessions.get(session);
    if (known !== undefined) return known;
    const store = new SessionStore({ ...this.#parts, session });
    this.#sessions.set(session, store);
    return store;
  }

  sessions(query: SessionQuery = {}): SessionsStore {
    return new SessionsStore({ ...this.#parts, query });
  }

  resumeAttempt(session: string): ResumeAttempt {
    return new ResumeAttempt({ ...this.#parts, session, locks: this.#locks });
  }

  /** Repeats a request until the host answers or refuses it; null when the signal was aborted. */
  untilAnswered<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | ApiError | null> {
    return untilAnswered(this.#parts, signal, ask);
  }

  /** Revokes this device's credential on the host, then closes everything that used it. */
  async signOut(): Promise<void> {
    await this.client.call("logout");
    this.close();
  }

  close(): void {
    for (const store of this.#sessions.values()) store.close();
    this.outbox.close();
    this.feed.close();
  }

  async #reached(session: string, seq: number): Promise<void> {
    const screen = this.#sessions.get(session)?.screen;
    if (screen !== undefined) await when(screen, (is) => is.phase !== "open" || is.seq >= seq);
  }

  get #parts() {
    const { client, feed, seen } = this;
    return { client, feed, seen, clock: this.#clock };
  }
}

/** A global of this platform, or null; some browsers throw on access. */
function ofThisPlatform<T>(name: string): T | null {
  try {
    return ((globalThis as Readonly<Record<string, unknown>>)[name] as T | undefined) ?? null;
  } catch {
    return null;
  }
}

function thisSocket(): OpenSocket | null {
  const WebSocket = ofThisPlatform<new (url: string) => WebSocketLike>("WebSocket");
  return WebSocket === null ? null : (url) => new WebSocket(url);
}

function thisDatabase(): IndexedDbFactory | undefined {
  return ofThisPlatform<IndexedDbFactory>("indexedDB") ?? undefined;
}

/** Only in a page, because other processes have no reader. */
function thisStorage(): KeyValues | null {
  return thisPage().document === undefined ? null : ofThisPlatform<KeyValues>("localStorage");
}

function thisChannel({ document }: Page, name: string): Channel | null {
  const Broadcast = ofThisPlatform<new (name: string) => Channel>("BroadcastChannel");
  return document === undefined || Broadcast === null ? null : new Broadcast(name);
}
