/**
 * A host with one journal that shows as much of it as a test says, over REST, WebSocket and SSE. It
 * folds with the protocol's own functions, and its checksum is Node's.
 */

import { crc32 } from "node:zlib";
import {
  type Event,
  foldAll,
  foldVersion,
  messageView,
  type SessionState,
  sessionView,
  transcriptOf,
} from "@holdfast/protocol";
import {
  type Asked,
  type Reply,
  type ScriptedHost,
  type SocketSide,
  scriptedHost,
} from "./scripted-host.ts";

export type Tamper = (events: readonly Event[]) => readonly Event[];

export interface JournalHostOptions {
  /** Number of events at first; by default all. */
  readonly count?: number;
  /** The host's epoch; by default the latest in its journal. */
  readonly epoch?: number;
  readonly sockets?: boolean;
  readonly answer?: (asked: Asked, reply: Reply) => boolean;
}

export class JournalHost {
  readonly sockets: SocketSide[] = [];
  readonly session: string;
  /** Changes events in transit. */
  tamper: Tamper = (events) => events;
  epoch: number;
  foldVersion = foldVersion;
  now = "2026-11-15T09:00:00.000Z";
  readonly #events: readonly Event[];
  readonly #options: JournalHostOptions;
  #count: number;
  #host: ScriptedHost | null = null;
  /** Sockets that follow the session. */
  readonly #subscribed = new Set<SocketSide>();
  readonly #arrivals = new Map<number, PromiseWithResolvers<SocketSide>>();

  private constructor(events: readonly Event[], options: JournalHostOptions) {
    this.#events = events;
    this.#options = options;
    this.#count = options.count ?? events.length;
    this.epoch = options.epoch ?? Math.max(...events.map(epochOf));
    this.session = foldAll(events).id;
  }

  static async open(
    events: readonly Event[],
    options: JournalHostOptions = {},
  ): Promise<JournalHost> {
    const host = new JournalHost(events, options);
    const greet = (side: SocketSide, n: number) => host.#greet(side, n);
    host.#host = await scriptedHost(
      (asked, reply) => host.#answer(asked, reply),
      options.sockets === false ? undefined : greet,
    );
    return host;
  }

  get url(): string {
    return this.#host?.url ?? "";
  }

  get asked(): readonly Asked[] {
    return this.#host?.asked ?? [];
  }

  /** Number of requests whose path ends with this name, such as `transcript`. */
  count(name: string): number {
    return this.asked.filter(({ path }) => path.endsWith(`/${name}`)).length;
  }

  get state(): SessionState {
    return foldAll(this.#shown);
  }

  get messages() {
    return transcriptOf(this.#shown).messages;
  }

  get receipts() {
    return transcriptOf(this.#shown).receipts;
  }

  get seq(): number {
    return this.#count;
  }

  /** The n-th WebSocket, once it has sent a message. */
  arrival(n: number): Promise<SocketSide> {
    return this.#arrivalOf(n).promise;
  }

  /** Publishes `count` more events to the followers. */
  publish(count: number): void {
    const events = this.#events.slice(this.#count, this.#count + count);
    this.#count += events.length;
    for (const side of this.#subscribed) this.#tell(side, events);
  }

  beat(over: object = {}): void {
    for (const side of this.#subscribed) side.say({ ...this.#heartbeat(this.#count), ...over });
  }

  say(message: object): void {
    for (const side of this.#subscribed) side.say({ session: this.session, ...message });
  }

  async close(): Promise<void> {
    await this.#host?.close();
  }

  get #shown(): readonly Event[] {
    return this.#events.slice(0, this.#count);
  }

  #chain(seq: number): number {
    const lines = this.#events.slice(0, seq).map((event) => `${JSON.stringify(event)}\n`);
    return crc32(lines.join(""));
  }

  #heartbeat(seq: number): object {
    const { session, now, foldVersion: folds } = this;
    return { type: "heartbeat", session, seq, chain: this.#chain(seq), now, foldVersion: folds };
  }

  #tell(side: SocketSide, events: readonly Event[]): void {
    const passed = this.tamper(events);
    if (passed.length > 0) side.say({ type: "events", session: this.session, events: passed });
  }

  #arrivalOf(n: number): PromiseWithResolvers<SocketSide> {
    const known = this.#arrivals.get(n) ?? Promise.withResolvers<SocketSide>();
    this.#arrivals.set(n, known);
    return known;
  }

  #greet(side: SocketSide, n: number): void {
    this.sockets.push(side);
    side.onSaid(({ type, after }) => {
      if (type === "ping") side.say({ type: "pong", now: this.now });
      if (type === "subscribe_sessions") side.say({ type: "subscribed_sessions" });
      if (type === "unsubscribe") this.#subscribed.delete(side);
      if (type === "subscribe") this.#subscribe(side, Number(after));
      this.#arrivalOf(n).resolve(side);
    });
    void side.gone().then(() => this.#subscribed.delete(side));
  }

  #subscribe(side: SocketSide, after: number): void {
    const { session } = this;
    this.#subscribed.add(side);
    side.say({ type: "subscribed", session, after, seq: this.#count }, this.#heartbeat(after));
    this.#tell(side, this.#shown.slice(after));
  }

  #answer(asked: Asked, reply: Reply): void | Promise<void> {
    if (this.#options.answer?.(asked, reply)) return;
    const { path, query } = asked;
    if (path === "/health") return reply.json(200, { status: "ok" });
    if (path.endsWith("/transcript")) return reply.json(200, this.#transcript(query.get("tail")));
    if (path.endsWith("/stream")) return this.#stream(reply, Number(query.get("after")));
    const { state, epoch } = this;
    reply.json(200, { session: sessionView(state, { epoch }) });
  }

  #transcript(tail: string | null) {
    const { state, messages, receipts, epoch } = this;
    const earlier = tail === null ? 0 : Math.max(0, messages.length - Number(tail));
    return {
      seq: this.#count,
      chain: this.#chain(this.#count),
      foldVersion: this.foldVersion,
      earlier,
      session: sessionView(state, { epoch }),
      state,
      messages: messages.slice(earlier).map(messageView),
      receipts,
    };
  }

  async #stream(reply: Reply, after: number): Promise<void> {
    const { session: _, type: __, ...beat } = this.#heartbeat(after) as Record<string, unknown>;
    await reply.stream().send(`event: heartbeat\ndata: ${JSON.stringify(beat)}\n\n`);
    for (const event of this.#shown.slice(after)) {
      await reply.send(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  }
}

function epochOf(event: Event): number {
  return "epoch" in event && typeof event.epoch === "number" ? event.epoch : 0;
}
