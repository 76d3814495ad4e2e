/** A host with real agents, for tests that inspect it from inside. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  deriveStatus,
  type Event,
  type EventKind,
  type EventOf,
  type SessionId,
} from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import { demoAgent } from "../../agents/table/table.ts";
import { listHolders } from "../../holder/host-side/list-holders.ts";
import { killHolder } from "../../holder/host-side/liveness.ts";
import { type HostOptions, type HostParts, wireHost } from "../../host.ts";

/** The environment that an agent needs to find git and node. */
export const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
export const demo = () => demoAgent({ ...env, HOLDFAST_DEMO_PACE_MS: "5" });

/** A real host on a real disk, in this process; its holders and agents are processes. */
export class Place {
  readonly data: string;
  host: HostParts | null = null;
  readonly errors: unknown[] = [];
  readonly #created: SessionId[] = [];

  constructor(data = mkdtempSync(join(tmpdir(), "holdfast-held-"))) {
    this.data = data;
  }

  async open(options: Partial<HostOptions> = {}): Promise<this> {
    this.host = await wireHost({
      data: this.data,
      definitions: [demo()],
      onError: (_session, error) => this.errors.push(error),
      ...options,
      policy: { sweep: 3600_000, retryDelay: 10, ...options.policy },
    });
    return this;
  }

  /** Closes the host; working agents go on in their holders. */
  async close(): Promise<void> {
    await this.host?.close();
    this.host = null;
  }

  get parts(): HostParts {
    if (this.host === null) throw new Error("no host is open");
    return this.host;
  }

  get sessions() {
    return this.parts.sessions;
  }

  get journal() {
    return this.parts.journal;
  }

  async create(policy: Record<string, number> = {}, over = {}): Promise<SessionId> {
    const sessionId = this.sessions.newId("session");
    const input = { sessionId, tenant: "t", title: "t", agentName: "demo", policy, ...over };
    await this.sessions.execute(sessionId, "create", input);
    this.#created.push(sessionId);
    return sessionId;
  }

  async prompt(id: SessionId, content: string) {
    const { state } = await this.sessions.execute(id, "prompt", { content });
    return state.run?.id ?? "";
  }

  async events(id: SessionId): Promise<Event[]> {
    const events: Event[] = [];
    for (let after = 0; ; after = events.at(-1)?.seq ?? 0) {
      const slice = await this.journal.read(id, after, 1000);
      if (slice === null) return events;
      events.push(...decodeEvents(slice.bytes));
    }
  }

  async until(id: SessionId, fits: (event: Event) => boolean, after = 0): Promise<Event> {
    const signal = AbortSignal.timeout(12_000);
    for await (const step of this.sessions.follow(id, after, { signal })) {
      const events = step.type === "events" ? decodeEvents(step.slice.bytes) : [];
      const found = events.find(fits);
      if (found !== undefined) return found;
    }
    const last = (await this.events(id)).slice(-4).map((event) => JSON.stringify(event));
    throw new Error(`It did not come: ${fits}\n${last.join("\n")}\n${this.errors.join("\n")}`);
  }

  kind<K extends EventKind>(id: SessionId, kind: K, after = 0) {
    return this.until(id, (event) => event.kind === kind, after) as Promise<Event & EventOf<K>>;
  }

  async of<K extends EventKind>(id: SessionId, kind: K) {
    return (await this.events(id)).filter((event) => event.kind === kind) as (Event & EventOf<K>)[];
  }

  async text(id: SessionId): Promise<string> {
    return (await this.of(id, "text.appended")).map(({ text }) => text).join("");
  }

  async status(id: SessionId) {
    return deriveStatus(await this.sessions.state(id), { epoch: this.sessions.epoch });
  }

  workspace(id: SessionId): string {
    return join(this.data, "workspaces", id);
  }

  agentPid(): number {
    const [place] = listHolders(join(this.data, "holders"));
    const path = join(this.data, "holders", place?.holderId ?? "", "agent.json");
    return (JSON.parse(readFileSync(path, "utf8")) as { pid: number }).pid;
  }

  /** The directories of all holders. */
  holders(): string[] {
    const root = join(this.data, "holders");
    return listHolders(root).map(({ holderId }) => join(root, holderId));
  }

  /** Ends the sessions that were created so far, and their agents. */
  async endSessions(): Promise<void> {
    for (const id of this.#created.splice(0)) {
      if ((await this.status(id)).lifecycle !== "ended") await this.host?.runtimes.end(id);
    }
    for (const dir of this.holders()) await killHolder(dir);
  }

  async end(): Promise<void> {
    await this.close();
    for (const dir of this.holders()) await killHolder(dir);
    rmSync(this.data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

const places: Place[] = [];
let shared: Place | null = null;

/** Opens a host for one test, or for all tests that `endPlaces` follows. */
export function openPlace(options: Partial<HostOptions> = {}): Promise<Place> {
  const place = new Place(options.data);
  places.push(place);
  return place.open(options);
}

/** The host that all tests of a file share, each with sessions of its own. */
export async function sharedPlace(): Promise<Place> {
  shared ??= new Place();
  return shared.host === null ? shared.open() : shared;
}

/** Ends what a test left: its own hosts, and its sessions of the shared one. */
export async function endSessions(): Promise<void> {
  for (const place of places.splice(0)) await place.end();
  if (shared?.host === null) await endPlaces();
  else await shared?.endSessions();
}

export async function endPlaces(): Promise<void> {
  for (const place of places.splice(0)) await place.end();
  const last = shared;
  shared = null;
  await last?.end();
}

export const isOutcome = ({ kind }: Event) =>
  ["run.completed", "run.failed", "run.cancelled", "run.interrupted"].includes(kind);
export const says = (part: string) => (event: Event) =>
  event.kind === "text.appended" && event.text.includes(part);
