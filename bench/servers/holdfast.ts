/**
 * A host wired like `holdfast serve`, with more agents: one inside this process, and others in
 * their own processes behind a holder. Sessions are opened and prompted over the channel, so that
 * the measurement contains no such requests; followers connect over HTTP.
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Event, type SessionId, scopes } from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import { Access } from "../../packages/server/src/access/credentials/access.ts";
import { systemClock } from "../../packages/server/src/base/clock.ts";
import { readIdentity } from "../../packages/server/src/holder/directory/identity.ts";
import { listHolders } from "../../packages/server/src/holder/host-side/list-holders.ts";
import { reportError, wireHost } from "../../packages/server/src/host.ts";
import { HttpServer } from "../../packages/server/src/http/http-server.ts";
import { Streams } from "../../packages/server/src/streams/streams.ts";
import { definitions, turnText } from "../agents/definitions.ts";
import { emitter } from "../agents/emitter.ts";
import { type Emission, emissionText } from "../streams/pace.ts";
import { answer, jobOf } from "../streams/remote.ts";

export interface HostJob {
  readonly data: string;
  readonly port?: number;
}

const { data, port = 0 } = jobOf<HostJob>();
const clock = systemClock();
const random = (bytes: number) => randomBytes(bytes);
let streams: Streams | null = null;
const host = await wireHost({
  data,
  spareHolder: true,
  agents: [emitter],
  definitions,
  clock,
  random,
  onError: reportError,
  onToken: (session, run, token) => streams?.tokens.offer(session, run, token),
});
const access = new Access({ dir: data, clock, random });
streams = new Streams({ ...host, onError: reportError });
const config = { data, host: "127.0.0.1", port, names: [], agents: definitions };
const server = new HttpServer(config, access, streams, host);
const url = await server.open();
const readyAt = Date.now();
const sessions: SessionId[] = [];
const { tenant } = access.owner;

answer({
  ready: () => ({ url, readyAt, token: access.hostToken, pid: process.pid }),
  async open({ count, agent, turns = 1 }: { count: number; agent: string; turns?: number }) {
    for (let i = 0; i < count; i++) {
      const sessionId = host.sessions.newId("session");
      const create = { sessionId, tenant, title: `session ${i}`, agentName: agent };
      await host.sessions.execute(sessionId, "create", create);
      sessions.push(sessionId);
    }
    if (agent !== emitter.name) {
      await Promise.all(sessions.slice(-count).map((session) => warm(session, turns)));
    }
    return {
      port: Number(new URL(url).port),
      paths: sessions.map((session) => `/api/sessions/${session}/stream?after=0`),
      headers: { authorization: `Bearer ${access.hostToken}` },
      sessions,
    };
  },
  emit: ({ session, kind, ...emission }: Emission & { session: number; kind?: string }) =>
    prompt(sessions[session] as SessionId, emissionText(emission, kind)),
  /** Creates a credential for another tenant, which owns the seed's sessions. */
  key: ({ tenant: theirs }: { tenant: string }) =>
    access.createKey(access.owner, {
      name: "bench",
      tenant: theirs,
      scopes: [...scopes],
      expiresAt: null,
    }).secret,
  /** Retained memory in MB: garbage is collected first. */
  memory() {
    (globalThis as { gc?: () => void }).gc?.();
    return process.memoryUsage().rss / 2 ** 20;
  },
  holders: () => holderPids(),
  events: ({ session }: { session: SessionId }) => eventsOf(session),
});

async function prompt(session: SessionId, content: string): Promise<void> {
  const clientId = Buffer.from(random(8)).toString("hex");
  await host.sessions.execute(session, "prompt", { content, clientId });
}

/** Runs turns, after which the agent and its holder are up. */
async function warm(session: SessionId, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn++) {
    await prompt(session, turnText(turn));
    while ((await host.sessions.state(session)).run?.outcome === null) await sleep(5);
  }
}

function holderPids(): number[] {
  const root = join(data, "holders");
  return listHolders(root).flatMap(({ holderId }) => {
    const identity = readIdentity(join(root, holderId));
    return identity?.kind === "holder" ? [identity.pid] : [];
  });
}

async function eventsOf(session: SessionId): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const slice = await host.journal.read(session, events.length, 1000);
    if (slice === null) return events;
    events.push(...decodeEvents(slice.bytes));
  }
}
