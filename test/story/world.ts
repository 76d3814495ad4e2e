/**
 * A real host with real holders and agents that can be killed at any moment, and helpers that use
 * it over HTTP. Every process started here is ended here, by its id.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@holdfast/client";
import type { Event, EventKind, EventOf, RunView, SessionView, Stamped } from "@holdfast/protocol";
import { listHolders } from "../../packages/server/src/holder/host-side/list-holders.ts";
import { killHolder } from "../../packages/server/src/holder/host-side/liveness.ts";
import { type HostProcess, type StartOptions, startHost } from "../host/process.ts";

export interface WorldOptions extends Omit<StartOptions, "port"> {
  /** Milliseconds between two words of the demo agent. */
  readonly pace?: number;
}

export class World {
  readonly data = mkdtempSync(join(tmpdir(), "holdfast-story-"));
  readonly #options: WorldOptions;
  #host: HostProcess | null = null;
  #port = 0;
  #token = "";

  constructor(options: WorldOptions = {}) {
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get token(): string {
    return this.#token;
  }

  get hostPid(): number {
    return this.#host?.child.pid ?? 0;
  }

  get client(): Client {
    return createClient({ url: this.url, token: this.#token });
  }

  /** Starts the host on the same port, so that followers reconnect. */
  async start(over: Pick<StartOptions, "entry" | "env"> = {}): Promise<void> {
    const { pace = 5, ...options } = this.#options;
    const env = { HOLDFAST_DEMO_PACE_MS: String(pace), ...options.env, ...over.env };
    this.#host = await startHost(this.data, { ...options, ...over, port: this.#port, env });
    this.#port = Number(new URL(this.#host.ready.url).port);
    this.#token = this.#host.ready.token;
  }

  async kill(): Promise<void> {
    await this.#host?.end("SIGKILL");
    this.#host = null;
  }

  async stop(): Promise<number | string | undefined> {
    const code = await this.#host?.end("SIGTERM");
    this.#host = null;
    return code;
  }

  async create(message?: string, over: Record<string, unknown> = {}): Promise<SessionView> {
    const body = { agent: "demo", ...(message === undefined ? {} : { message }), ...over };
    return (await this.client.call("createSession", { body })).session;
  }

  async session(id: string): Promise<SessionView> {
    return (await this.client.call("getSession", { params: { sessionId: id } })).session;
  }

  async send(id: string, content: string, over: Record<string, unknown> = {}) {
    const body = { content, ...over };
    return this.client.call("sendMessage", { params: { sessionId: id }, body });
  }

  async run(id: string): Promise<RunView> {
    return (await this.client.call("getRun", { params: { runId: id } })).run;
  }

  async events(id: string): Promise<Event[]> {
    const events: Event[] = [];
    for (let after = 0; ; after = events.at(-1)?.seq ?? 0) {
      const page = await this.client.call("listEvents", {
        params: { sessionId: id },
        query: { after, limit: 1000 },
      });
      events.push(...page.events);
      if (events.length >= page.lastSeq || page.events.length === 0) return events;
    }
  }

  /** Resolves with the first matching event, also a past one, across restarts of the host. */
  until<E extends Event>(
    id: string,
    fits: (event: Event) => event is E,
    after?: number,
  ): Promise<E>;
  until(id: string, fits: (event: Event) => boolean, after?: number): Promise<Event>;
  async until(id: string, fits: (event: Event) => boolean, after = 0): Promise<Event> {
    const signal = AbortSignal.timeout(25_000);
    for await (const step of this.client.follow({ session: id, after, signal })) {
      if (step.type === "event" && fits(step.event)) return step.event;
    }
    throw new Error(`It did not come: ${fits}`);
  }

  untilKind<K extends EventKind>(id: string, kind: K, after = 0): Promise<EventOfKind<K>> {
    return this.until(id, isKind(kind), after);
  }

  /** Pids of a session's holder and agent, as recorded; without a session, of the latest holder. */
  pids(session?: string): { holder: number | null; agent: number | null } {
    const root = join(this.data, "holders");
    const dir = this.holders(session).sort().at(-1);
    const read = (file: string) => {
      try {
        return JSON.parse(readFileSync(join(root, dir ?? "", file), "utf8")).pid as number;
      } catch {
        return null;
      }
    };
    return { holder: read("identity"), agent: read("agent.json") };
  }

  /** The ids of a session's holders; without a session, of all holders. */
  holders(session?: string): string[] {
    return listHolders(join(this.data, "holders"))
      .filter(({ sessionId }) => session === undefined || sessionId === session)
      .map(({ holderId }) => holderId);
  }

  async end(): Promise<void> {
    await this.kill();
    for (const holderId of this.holders()) await killHolder(join(this.data, "holders", holderId));
    rmSync(this.data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

type EventOfKind<K extends EventKind> = Stamped<EventOf<K>>;

const isKind =
  <K extends EventKind>(kind: K) =>
  (event: Event): event is EventOfKind<K> =>
    event.kind === kind;

export const kinds = <K extends EventKind>(events: readonly Event[], kind: K): EventOfKind<K>[] =>
  events.filter(isKind(kind));

export function textOf(events: readonly Event[]): string {
  return events.map((event) => (event.kind === "text.appended" ? event.text : "")).join("");
}

/** The text of `/count=n` when each number comes exactly once. */
export function counted(n: number): string {
  return Array.from({ length: n }, (_, i) => `<${i + 1}>`).join(" ");
}
