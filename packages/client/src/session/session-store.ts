/**
 * One open session, kept up to date: read once, then followed after its seq, folded like the host
 * does, and compared with the host's own view. A replica that differs is read again, once.
 */

import {
  type Event,
  foldVersion,
  lastActiveAt,
  type SessionState,
  type SessionView,
} from "@holdfast/protocol";
import { Cell, type Watchable } from "../cell.ts";
import type { Client } from "../client.ts";
import { ApiError, TransportError } from "../errors.ts";
import type { Feed, Following } from "../live/feed.ts";
import type { Heard } from "../live/heard.ts";
import { pauseUntilWake, untilAnswered } from "../live/pause.ts";
import { reuseEqualParts } from "../reuse-equal-parts.ts";
import { Throttled } from "../throttled.ts";
import type { Clock } from "../timers.ts";
import type { Heartbeat, Reset } from "../wire.ts";
import { DriftRemedies, type Remedy } from "./drift-remedies.ts";
import {
  advance,
  eventsAfter,
  isSameState,
  isSameView,
  leastEpochOf,
  type Opened,
  openReplica,
  prepend,
  type Replica,
  resetReplica,
  viewOf,
} from "./replica.ts";
import type { Seen } from "./seen.ts";
import { type Around, type Drift, opening, type SessionSnapshot, snapshotOf } from "./snapshot.ts";

interface SessionStoreOptions {
  readonly session: string;
  readonly client: Client;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly seen: Seen;
  readonly tail?: number;
}

/** Two or three screens. */
const TAIL = 50;
/** The host's limit for `tail`; above it, all messages are read. */
const MOST_TAIL = 10_000;
/** The host's limit of events per reply. */
const MOST_EVENTS = 1000;
/** Time to keep the session for a page that is left and entered again, or mounted twice. */
const LINGER = 10_000;
/** A shorter absence does not count, such as a reload or a glance at another page. */
const AWAY = 30_000;

export class SessionStore implements Watchable<SessionSnapshot> {
  readonly getSnapshot: () => SessionSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly screen: Watchable<SessionSnapshot>;
  readonly #options: SessionStoreOptions;
  readonly #cell: Cell<SessionSnapshot>;
  #replica: Replica | null = null;
  #around: Around = { phase: "opening", refusal: null, away: null, now: null, drift: null };
  #following: Following | null = null;
  /** Aborts work in progress when the last watcher has left. */
  #life = new AbortController();
  #isStarted = false;
  #cancelLeaving = () => {};
  /** When the host was last heard from, by our own clock. */
  #heardAt = 0;
  #nowAt = 0;
  #hostFolds = foldVersion;
  #isReturn = false;
  /** The host's view at an event that has not arrived yet. */
  #expected: SessionView | null = null;
  readonly #remedies = new DriftRemedies();
  #isReloading = false;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#cell = new Cell(opening, (isWatched) => (isWatched ? this.#start() : this.#leaveLater()));
    this.getSnapshot = this.#cell.getSnapshot;
    this.subscribe = this.#cell.subscribe;
    this.screen = new Throttled(this.#cell, options.clock);
  }

  /** Loads earlier messages. False when all are loaded, or without an answer. */
  async earlier(count = TAIL): Promise<boolean> {
    if (this.#replica === null || this.#replica.earlier === 0) return false;
    const opened = await this.#read(this.#replica.messages.length + count).catch(nobodyAnswered);
    if (opened === null || this.#replica === null) return false;
    const before = this.#replica;
    this.#replica = prepend(before, opened);
    const { seq } = this.#replica.state;
    if (opened.seq === seq && opened.foldVersion === foldVersion) {
      if (!isSameState(this.#replica.state, opened.state))
        this.#mend(this.#remedies.mismatch(), "state");
    }
    this.#show();
    return this.#replica !== before;
  }

  /** The events after one seq up to another; the host is asked only for older ones. */
  async events(after: number, upTo: number, signal: AbortSignal): Promise<readonly Event[]> {
    const { client, session } = this.#options;
    const all: Event[] = [];
    let at = after;
    while (at < upTo) {
      const held = this.#replica === null ? null : eventsAfter(this.#replica, at);
      if (held !== null) return [...all, ...held.filter(({ seq }) => seq <= upTo)];
      const oldest = this.#replica?.recent[0]?.seq ?? upTo + 1;
      const query = { after: at, limit: Math.min(MOST_EVENTS, oldest - 1 - at, upTo - at) };
      const params = { sessionId: session };
      const reply = await untilAnswered(this.#options, signal, () =>
        client.call("listEvents", { params, query, signal }),
      );
      if (reply instanceof ApiError) throw reply;
      const last = reply?.events.at(-1);
      if (last === undefined) break;
      all.push(...(reply?.events ?? []));
      at = last.seq;
    }
    return all;
  }

  seen(): void {
    const { seen, session } = this.#options;
    if (this.#replica === null) return;
    const { state } = this.#replica;
    const activeAt = lastActiveAt(state);
    seen.mark(session, state.seq, { at: this.#options.clock.now(), activeAt });
    this.#change({ away: null });
  }

  /** Call when the person returns: events since the last visit happened during the absence. */
  look(): void {
    if (this.#replica === null || this.#around.away !== null) return;
    this.#change({ away: this.#unseen(this.#replica.state.seq) });
  }

  reload(): void {
    this.#remedies.forget();
    this.#change({ drift: null });
    this.#startOver();
  }

  /** The host's current time, estimated from its last message. */
  hostNow(): number | null {
    const { now } = this.#around;
    return now === null ? null : Date.parse(now) + (this.#options.clock.now() - this.#nowAt);
  }

  /** Ends at once; a later watcher starts it again. */
  close(): void {
    this.#cancelLeaving();
    this.#following?.stop();
    this.#following = null;
    this.#isStarted = false;
    this.#life.abort();
  }

  #start(): void {
    this.#cancelLeaving();
    if (this.#isStarted || this.#around.phase === "gone") return;
    this.#isStarted = true;
    this.#life = new AbortController();
    this.#options.feed.start();
    if (this.#replica === null) void this.#open(this.#life.signal);
    else this.#follow(true);
  }

  #leaveLater(): void {
    this.#cancelLeaving = this.#options.clock.after(LINGER, () => this.close());
  }

  async #open(signal: AbortSignal): Promise<void> {
    const loaded = this.#replica?.messages.length ?? 0;
    const opened = await untilAnswered(this.#options, signal, async () =>
      this.#withReceipts(await this.#read(loaded, signal), signal),
    );
    if (opened instanceof ApiError) this.#refuse(opened);
    else if (opened !== null && !signal.aborted) this.#opened(opened);
  }

  #read(wanted: number, signal?: AbortSignal): Promise<Opened> {
    const { client, session, tail: usual = TAIL } = this.#options;
    const tail = Math.max(usual, wanted);
    return client.call("getTranscript", {
      params: { sessionId: session },
      query: tail > MOST_TAIL ? {} : { tail },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Asks an earlier host, whose transcript has no receipts, for those up to the same event. */
  async #withReceipts(opened: Opened, signal: AbortSignal): Promise<Opened> {
    if (opened.receipts !== undefined) return opened;
    const { client, session } = this.#options;
    const params = { sessionId: session };
    const { receipts } = await client.call("listReceipts", { params, signal });
    return { ...opened, receipts: receipts.filter(({ seq }) => seq <= opened.seq) };
  }

  #opened(opened: Opened): void {
    const replica = openReplica(opened);
    this.#replica = {
      ...replica,
      messages: reuseEqualParts(this.#replica?.messages, replica.messages),
    };
    this.#hostFolds = opened.foldVersion;
    let { away } = this.#around;
    if (this.#isReloading) this.#remedies.readAnew(opened.seq);
    else away ??= this.#unseen(opened.seq);
    this.#isReloading = false;
    this.#heardAt = this.#options.clock.now();
    this.#change({ phase: "open", refusal: null, away });
    this.#follow(false);
  }

  /** On a return, state without an event may have changed; after a fresh read it is current. */
  #follow(isReturn: boolean): void {
    const { feed, session } = this.#options;
    this.#isReturn = isReturn;
    this.#following = feed.follow(session, {
      position: () => this.#replica?.state.seq ?? 0,
      hear: (heard) => this.#hear(heard),
    });
  }

  #hear(heard: Heard): void {
    const { clock } = this.#options;
    const silence = clock.now() - this.#heardAt;
    this.#heardAt = clock.now();
    if (heard.type === "following") this.#followed(heard.after, heard.seq, silence);
    else if (heard.type === "events") this.#take(heard.events);
    else if (heard.type === "heartbeat") this.#beat(heard);
    else if (heard.type === "reset") this.#reset(heard);
    else if (heard.type === "gone") this.#gone();
    else if (heard.type === "refused") this.#refuse(heard.error);
  }

  /** Null when the person left only a moment ago, or never visited. */
  #unseen(upTo: number): Around["away"] {
    const { seen, session, clock } = this.#options;
    const now = clock.now();
    const last = seen.last(session, now);
    if (last === undefined) return null;
    const isShort = last.at !== null && now - last.at < AWAY;
    return isShort ? null : spanOf(last.seq, upTo);
  }

  #reset(reset: Reset): void {
    if (this.#replica !== null) this.#replica = resetReplica(reset, this.#replica);
    this.#show();
  }

  #gone(): void {
    this.close();
    this.#change({ phase: "gone" });
  }

  #followed(after: number, head: number | null, silence: number): void {
    const { seen, session } = this.#options;
    if (!this.#isReturn) {
      this.#isReturn = true;
      return;
    }
    void this.#askWords();
    if (this.#around.phase === "refused") this.#change({ phase: "open", refusal: null });
    if (silence < AWAY || head === null || this.#around.away !== null) return;
    this.#change({ away: spanOf(Math.min(seen.upTo(session) ?? after, after), head) });
  }

  #take(events: Parameters<typeof advance>[1]): void {
    if (this.#replica === null) return;
    const expected = this.#expected;
    let reached: SessionState | null = null;
    const advanced = advance(this.#replica, events, (state) => {
      if (state.seq === expected?.lastSeq) reached = state;
    });
    this.#replica = advanced.replica;
    if (expected !== null && reached !== null) this.#compare(expected, reached);
    this.#show();
    if (advanced.isGap) this.#mend(this.#remedies.missed(advanced.replica.state.seq), "events");
  }

  #beat({ seq, chain, now, foldVersion: folds }: Heartbeat): void {
    if (this.#replica === null) return;
    const { state } = this.#replica;
    this.#hostFolds = folds;
    this.#nowAt = this.#heardAt;
    this.#change({ now });
    if (seq > state.seq) this.#mend(this.#remedies.missed(state.seq), "events");
    if (seq !== state.seq || chain === null) return;
    if (chain === this.#replica.chain) this.#remedies.sound(seq);
    else this.#mend(this.#remedies.mismatch(), "events");
  }

  #mend(remedy: Remedy, what: Drift["what"]): void {
    const seq = this.#replica?.state.seq ?? 0;
    if (remedy === "ask_again") this.#following?.again();
    else if (remedy === "read_anew") this.#startOver();
    else this.#change({ drift: { what, seq } });
  }

  #startOver(): void {
    if (this.#isReloading || this.#life.signal.aborted) return;
    this.#isReloading = true;
    this.#expected = null;
    this.#following?.stop();
    this.#following = null;
    void this.#open(this.#life.signal);
  }

  /** A restarted host may judge an old runtime differently, without an event. */
  async #askWords(): Promise<void> {
    const { client, session } = this.#options;
    const reply = await client
      .call("getSession", { params: { sessionId: session }, signal: this.#life.signal })
      // A failed request is repeated on the next return.
      .catch(() => null);
    if (reply === null || this.#replica === null) return;
    const { state } = this.#replica;
    if (reply.session.lastSeq > state.seq) this.#expected = reply.session;
    else if (reply.session.lastSeq === state.seq) this.#compare(reply.session, state);
  }

  /** `state` is ours at the seq of the host's view. */
  #compare(words: SessionView, state: SessionState): void {
    if (this.#replica === null) return;
    this.#expected = null;
    const leastEpoch = Math.max(this.#replica.leastEpoch, leastEpochOf(state, words));
    this.#replica = { ...this.#replica, leastEpoch, damage: words.damage };
    const ours = viewOf({ ...this.#replica, state });
    if (this.#hostFolds === foldVersion && !isSameView(ours, words))
      this.#mend(this.#remedies.mismatch(), "state");
    this.#show();
  }

  #refuse(error: ApiError): void {
    const { signal } = this.#life;
    if (error.code === "cursor_ahead") this.#startOver();
    else if (error.status === 404) this.#gone();
    else if (error.mayRetry) {
      void pauseUntilWake(this.#options, 0, signal).then(() => this.#following?.again());
    } else {
      const { code, message } = error;
      this.#isReloading = false;
      this.#change({ phase: "refused", refusal: { code, message } });
    }
  }

  #change(change: Partial<Around>): void {
    this.#around = { ...this.#around, ...change };
    this.#show();
  }

  #show(): void {
    this.#cell.set(snapshotOf(this.#cell.getSnapshot(), this.#replica, this.#around));
  }
}

function spanOf(fromSeq: number | undefined, toSeq: number): Around["away"] {
  return fromSeq === undefined || fromSeq >= toSeq ? null : { fromSeq, toSeq };
}

function nobodyAnswered(error: unknown): null {
  if (error instanceof TransportError) return null;
  throw error;
}
