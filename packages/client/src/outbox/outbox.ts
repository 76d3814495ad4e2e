/**
 * Delivers a person's actions to the host exactly once, or shows the refusal. Items are stored
 * before they are sent, delivered in order within each session, and stay until the session's events
 * show them or the person dismisses them.
 */

import { Cell, type Watchable } from "../cell.ts";
import type { Client } from "../client.ts";
import type { Feed } from "../live/feed.ts";
import { type Locks, withLock } from "../locks.ts";
import { reuseEqualParts } from "../reuse-equal-parts.ts";
import { type Clock, pauseAfter } from "../timers.ts";
import { type Delivery, deliver } from "./deliver.ts";
import type { Action, OutboxStorage, StoredItem } from "./item.ts";

export interface OutboxItem extends StoredItem {
  readonly state: "waiting" | "sending" | "accepted" | "refused";
  /** Of an accepted item: it leaves when the session's store shows this seq. */
  readonly seq?: number;
  /** The reason why it still waits. */
  readonly problem: string | null;
}

export interface OutboxSnapshot {
  readonly items: readonly OutboxItem[];
  /** False when the items are lost with the page; null until that is known. */
  readonly isLasting: boolean | null;
  /** The storage's last error, such as a full disk. Delivery is retried. */
  readonly fault: string | null;
}

export interface Channel {
  postMessage(message: unknown): void;
  addEventListener(type: "message", call: () => void): void;
  close(): void;
}

export interface OutboxOptions {
  readonly client: Client;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly storage: Promise<OutboxStorage>;
  readonly locks: Locks | null;
  readonly channel: Channel | null;
  /** Resolves when the session's store shows this seq, or is not open. */
  readonly reached: (session: string, seq: number) => Promise<unknown>;
  readonly newId: () => string;
}

/** The rest of a session's queue after an attempt to deliver it. */
type Left = "nothing" | "waiting" | "unauthorized";

export class Outbox implements Watchable<OutboxSnapshot> {
  readonly getSnapshot: () => OutboxSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly #options: OutboxOptions;
  readonly #cell = new Cell<OutboxSnapshot>({ items: [], isLasting: null, fault: null });
  /** Sessions with a delivery in progress; `again` when items were added meanwhile. */
  readonly #lanes = new Map<string, { again: boolean }>();
  readonly #sending = new Set<number>();
  /** The host has these, so they are no longer stored. */
  readonly #accepted = new Map<number, OutboxItem>();
  readonly #problems = new Map<number, string>();
  readonly #life = new AbortController();
  readonly #stops: (() => void)[];
  #attempt = new AbortController();
  /** One retry timer for all waiting items. */
  #cancelRetry: (() => void) | null = null;
  #failures = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.getSnapshot = this.#cell.getSnapshot;
    this.subscribe = this.#cell.subscribe;
    const { feed } = options;
    this.#stops = [
      feed.onWake(() => this.#tryNow()),
      feed.connection.subscribe(() => this.#heed()),
    ];
    options.channel?.addEventListener("message", () => void this.#look());
    void this.#look();
  }

  /** Resolves when the item is stored; delivery continues by itself. */
  async add(session: string, action: Action): Promise<StoredItem> {
    const storage = await this.#options.storage;
    const id = this.#options.newId();
    const stored = await storage.add({ id, session, action, refusal: null });
    await this.#changed();
    this.#deliverTo(session);
    return stored;
  }

  /** Removes a refused or waiting item, which may have arrived; false while it is being sent. */
  async dismiss(n: number): Promise<boolean> {
    const storage = await this.#options.storage;
    if (this.#sending.has(n)) return false;
    await storage.remove(n);
    await this.#changed();
    return true;
  }

  async retry(n: number): Promise<void> {
    const storage = await this.#options.storage;
    const item = await storage.change(n, { refusal: null });
    if (item === undefined) return;
    await this.#changed();
    this.#deliverTo(item.session);
  }

  close(): void {
    this.#life.abort(new Error("The page was closed."));
    this.#cancelRetry?.();
    for (const stop of this.#stops) stop();
    this.#options.channel?.close();
  }

  /** Tries at once and resets the pauses, because the host may be back. */
  #tryNow(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#failures = 0;
    void this.#look();
  }

  /** Aborts deliveries to an unreachable host, which would wait for minutes. */
  #heed(): void {
    if (this.#options.feed.isReachable) return;
    this.#attempt.abort(new Error("The connection was lost."));
    this.#attempt = new AbortController();
  }

  /** Schedules a retry. While the host is unreachable the feed retries, and wakes this outbox. */
  #tryLater(): void {
    const { clock, feed } = this.#options;
    if (!feed.isReachable || this.#cancelRetry !== null) return;
    this.#cancelRetry = clock.after(pauseAfter(this.#failures++, clock.random), () => {
      this.#cancelRetry = null;
      void this.#look();
    });
  }

  /** Delivers waiting items, also those of an earlier page or a closed tab. */
  async #look(): Promise<void> {
    await this.#show();
    const waiting = this.getSnapshot().items.filter(({ state }) => state === "waiting");
    for (const session of new Set(waiting.map((item) => item.session))) this.#deliverTo(session);
  }

  #deliverTo(session: string): void {
    const lane = this.#lanes.get(session);
    if (lane !== undefined) {
      lane.again = true;
      return;
    }
    const fresh = { again: false };
    this.#lanes.set(session, fresh);
    void this.#empty(session).then((left) => {
      this.#lanes.delete(session);
      if (this.#life.signal.aborted) return;
      if (fresh.again) this.#deliverTo(session);
      else if (left === "waiting") this.#tryLater();
    });
  }

  #empty(session: string): Promise<Left> {
    const { clock, locks } = this.#options;
    const name = `holdfast-outbox ${session}`;
    const emptied = withLock(locks, clock, name, () => this.#deliverAll(session));
    return emptied.catch((error: unknown) => this.#failed(error));
  }

  async #deliverAll(session: string): Promise<Left> {
    const { feed } = this.#options;
    const storage = await this.#options.storage;
    while (!this.#life.signal.aborted) {
      const items = await storage.all();
      const item = items.find((one) => one.session === session && one.refusal === null);
      if (item === undefined) {
        // Another tab may have delivered the items without a message.
        await this.#show();
        return "nothing";
      }
      if (!feed.isReachable) {
        if (!this.#problems.has(item.n)) this.#problems.set(item.n, "The host is not reachable.");
        await this.#show();
        return "waiting";
      }
      this.#sending.add(item.n);
      const delivery = await this.#send(item).finally(() => this.#sending.delete(item.n));
      this.#problems.delete(item.n);
      if (delivery === null) continue;
      if (delivery.is === "waiting" || delivery.is === "unauthorized") {
        this.#problems.set(item.n, delivery.why);
        // Other tabs are not notified of a failure: each would retry because of the other.
        await this.#show();
        return delivery.is;
      }
      this.#failures = 0;
      if (delivery.is === "accepted") {
        this.#keep(item, delivery.seq);
        await storage.remove(item.n);
      } else await storage.change(item.n, { refusal: delivery.refusal });
      await this.#changed();
    }
    return "nothing";
  }

  /** Null when the item was removed. Marked before sending: the page may die meanwhile. */
  async #send(item: StoredItem): Promise<Delivery | null> {
    const { client, feed } = this.#options;
    const taken = AbortSignal.any([this.#life.signal, this.#attempt.signal]);
    const storage = await this.#options.storage;
    const marked = await storage.change(item.n, { mayHaveArrived: true });
    if (marked === undefined) return null;
    await this.#show();
    feed.ask();
    return deliver(client, marked, taken);
  }

  #keep(item: StoredItem, seq: number): void {
    this.#accepted.set(item.n, { ...item, state: "accepted", seq, problem: null });
    void this.#options.reached(item.session, seq).then(() => {
      this.#accepted.delete(item.n);
      return this.#show();
    });
  }

  async #changed(): Promise<void> {
    if (!this.#life.signal.aborted) this.#options.channel?.postMessage("changed");
    await this.#show();
  }

  #failed(error: unknown): "waiting" {
    const fault = error instanceof Error ? error.message : String(error);
    this.#cell.set({ ...this.getSnapshot(), fault });
    return "waiting";
  }

  async #show(): Promise<void> {
    const storage = await this.#options.storage;
    const stored = await storage.all().catch((error: unknown) => void this.#failed(error));
    if (stored === undefined) return;
    const waiting = stored.map((item): OutboxItem => {
      const busy = this.#sending.has(item.n) ? "sending" : "waiting";
      const state = item.refusal === null ? busy : "refused";
      return { ...item, state, problem: this.#problems.get(item.n) ?? null };
    });
    const items = [
      ...this.#accepted.values(),
      ...waiting.filter(({ n }) => !this.#accepted.has(n)),
    ];
    items.sort((a, b) => a.n - b.n);
    this.#cell.set(
      reuseEqualParts(this.getSnapshot(), { items, isLasting: storage.isLasting, fault: null }),
    );
  }
}
