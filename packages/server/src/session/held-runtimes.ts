/**
 * Every session whose agent runs in a holder: bring it up once however many ask, put it away, take
 * over what an earlier life left, and settle what is proved dead.
 */

import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  deriveStatus,
  HostError,
  openRun,
  type PauseReason,
  type Rung,
  type RuntimeState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { KnownTools } from "../agents/acp-tools.ts";
import type { AgentDefinition } from "../agents/table.ts";
import { fateOf, killHolder, listHolders, signalAgent } from "../holder/fate.ts";
import { connectHolder } from "../holder/link.ts";
import { readSpool } from "../holder/read-spool.ts";
import { spawnHolder } from "../holder/spawn.ts";
import type { Blobs } from "../journal/blobs.ts";
import { breakDown } from "./break-down.ts";
import { bringUp, type Up } from "./bring-up.ts";
import { Hearing, Held } from "./held.ts";
import { inTime } from "./in-time.ts";
import { Ingest } from "./ingest.ts";
import { each, type Holders, PARALLEL, type Verdict } from "./recovery.ts";
import type { Resumed, ReviveMode, Reviving, Runtimes } from "./runtimes.ts";
import type { Sessions } from "./sessions.ts";
import type { Workspaces } from "./workspaces.ts";

export interface HeldRuntimesOptions {
  /** Where holders have their directories. */
  readonly root: string;
  readonly version: string;
  readonly sessions: Sessions;
  readonly blobs: Blobs;
  readonly workspaces: Workspaces;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly random: (bytes: number) => Uint8Array;
  readonly onToken: (session: SessionId, runId: string, token: string) => void;
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

interface Place {
  readonly session: SessionId;
  readonly holderId: string;
}

export class HeldRuntimes implements Runtimes, Holders {
  readonly #options: HeldRuntimesOptions;
  readonly #sessions: Sessions;
  readonly #held = new Map<SessionId, Held>();
  readonly #reviving = new Map<SessionId, Reviving>();
  readonly #discarding = new Set<Promise<void>>();
  #leave: () => void;
  #closing = false;

  constructor(options: HeldRuntimesOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#leave = this.#sessions.onDurable((session, { events }) => {
      for (const event of events) {
        // A holder's directory is its spool: it goes once the journal says that the holder is over.
        if (event.kind === "holder.exited") this.#discard(event.holderId);
        if (event.kind === "session.ended") this.#end(session);
      }
    });
  }

  knows(agentName: string): boolean {
    return this.#options.agents.has(agentName);
  }

  get live(): number {
    return this.#held.size;
  }

  async attend(session: SessionId, state: SessionState): Promise<void> {
    const { runtime } = state;
    const run = openRun(state);
    const isAbandoned = run !== null && run.paused === "abandoned" && run.cancel === null;
    if (runtime.state === "frozen" && !isAbandoned) await this.#freeze(session, runtime, false);
    else if (runtime.state === "live" && isAbandoned) await this.#freeze(session, runtime, true);
    else await this.#held.get(session)?.attend(state);
  }

  /** For how long (steady) the session's agent has said nothing; null when none is at work. */
  silence(session: SessionId): number | null {
    return this.#held.get(session)?.silence ?? null;
  }

  kill(session: SessionId): void {
    this.#held.get(session)?.kill();
  }

  /** `forRun`: wanted by this run alone, so that its cancel means that nothing starts. */
  revive(session: SessionId, mode: ReviveMode, forRun?: string): Reviving {
    const known = this.#reviving.get(session);
    if (known !== undefined) return known;
    const started = Promise.withResolvers<void>();
    const done = this.#revive(session, mode, forRun, started.resolve).finally(() => {
      this.#reviving.delete(session);
    });
    done.then(() => started.resolve(), started.reject);
    started.promise.catch(() => undefined);
    const reviving = { started: started.promise, done };
    this.#reviving.set(session, reviving);
    return reviving;
  }

  async pause(session: SessionId, reason: PauseReason = "explicit"): Promise<void> {
    await this.#sessions.execute(session, "pause", { reason });
    await this.#putAway(session);
  }

  async end(session: SessionId): Promise<void> {
    await this.#sessions.execute(session, "end", { reason: "explicit" });
    await this.#putAway(session);
  }

  workspaceOk(state: SessionState): Promise<boolean> {
    return this.#options.workspaces.isThere(state);
  }

  nextRung(state: SessionState): Rung | null {
    if (state.ended !== null) return null;
    const { runtime } = deriveStatus(state, { epoch: this.#sessions.epoch });
    if (runtime === "live") return "live";
    if (state.runtime.holderId !== null) return "adopted";
    const agent = this.#options.agents.get(state.agentName);
    return agent?.resume === "native" && state.runtime.agentSessionId !== null ? "native" : "fresh";
  }

  async break(session: SessionId, what: "host" | "holder" | "agent"): Promise<void> {
    const { agentName, runtime } = await this.#sessions.state(session);
    if (agentName !== "demo") {
      throw new HostError("forbidden", "Only sessions of the demo agent may be broken on purpose.");
    }
    breakDown(runtime.holderId === null ? null : this.#dir(runtime.holderId), what);
  }

  async probe(session: SessionId, holderId: string): Promise<Verdict> {
    const { runtime } = await this.#sessions.state(session);
    // Its agent was never ready: there is nothing to adopt, and a new launch begins anew.
    if (runtime.state !== "live" && runtime.state !== "frozen")
      return (await this.#kill(holderId)) ? "dead" : "unknown";
    return fateOf(this.#made(holderId), this.#sessions.policy.holderProbe);
  }

  async adopt(session: SessionId, holderId: string): Promise<void> {
    const begun = this.#sessions.clock.steady();
    const cursor = await this.#sessions.journal.cursor(session, holderId);
    const tools = await this.#tools(session);
    const held = await this.#connect({ session, holderId }, cursor, tools);
    await held.caughtUp;
    if (held.hasExited) {
      await held.over;
      return;
    }
    const run = openRun(await this.#sessions.state(session));
    if (run !== null) await this.#sessions.execute(session, "adopt", { runId: run.id });
    const ms = this.#sessions.clock.steady() - begun;
    await this.#sessions.execute(session, "revived", { rung: "adopted", ms });
  }

  async drain(session: SessionId, holderId: string): Promise<void> {
    const cursor = await this.#sessions.journal.cursor(session, holderId);
    const ingest = new Ingest(
      {
        ...{ ...this.#options, session, holderId, cursor },
        ...{ stopped: new AbortController().signal, tools: await this.#tools(session) },
      },
      deaf,
    );
    for (const frames of readSpool(this.#dir(holderId), cursor)) await ingest.take(frames);
    await ingest.flush();
  }

  /** What an earlier life left that no open run speaks of: idle agents, and holders nobody wants. */
  async adoptIdle(): Promise<SessionId[]> {
    const adopted: SessionId[] = [];
    await each(listHolders(this.#options.root), PARALLEL, async ({ holderId, sessionId }) => {
      const session = sessionId as SessionId;
      try {
        if (await this.#settleIdle({ session, holderId })) adopted.push(session);
      } catch (error) {
        this.#options.onError(session, error);
      }
    });
    return adopted;
  }

  /** Idle agents go with the host; open runs stay with their holders. Returns how many stay. */
  async close(): Promise<number> {
    this.#closing = true;
    await Promise.allSettled([...this.#reviving.values()].map(({ done }) => done));
    let left = 0;
    await Promise.all(
      [...this.#held].map(async ([session, held]) => {
        if (openRun(await this.#sessions.state(session)) === null) return this.#putAway(session);
        left++;
        held.close();
        return held.over;
      }),
    );
    this.#leave();
    await Promise.all(this.#discarding);
    return left;
  }

  async #revive(
    session: SessionId,
    mode: ReviveMode,
    forRun: string | undefined,
    started: () => void,
  ): Promise<Resumed | null> {
    const begun = this.#sessions.clock.steady();
    const state = await this.#sessions.state(session);
    if (state.runtime.holderId !== null && !this.#held.has(session)) {
      const taken = await this.#takeOver({ session, holderId: state.runtime.holderId });
      if (taken) return { rung: "adopted", ms: this.#since(begun), grade: null, receipt: null };
    }
    const agent = this.#agent(state.agentName);
    const isFirst = !state.runtime.seen;
    if (isFirst && this.#held.has(session)) return null;
    if (!isFirst) {
      const { events } = await this.#sessions.execute(session, "revive", { mode });
      if (events.length === 0) return null;
      started();
    }
    try {
      const up = await this.#launch(session, agent, mode, forRun, started);
      const resumed = { rung: up.rung, ms: this.#since(begun), grade: null };
      if (!isFirst) await this.#sessions.execute(session, "revived", resumed);
      return { ...resumed, receipt: null };
    } catch (error) {
      const known = error instanceof HostError ? error : null;
      const message = known?.message ?? (error instanceof Error ? error.message : String(error));
      const reason = { code: known?.code ?? "launch_failed", message: message.slice(0, 1000) };
      await this.#sessions
        .execute(session, "reviveFailed", { error: reason })
        .catch(() => undefined);
      if (known !== null) throw known;
      this.#options.onError(session, error);
      throw new HostError("launch_failed", `The agent could not be started: ${message}`);
    }
  }

  async #launch(
    session: SessionId,
    agent: AgentDefinition,
    mode: ReviveMode,
    forRun: string | undefined,
    started: () => void,
  ): Promise<Up> {
    const { workspaces, version } = this.#options;
    if (this.#held.has(session)) await this.#putAway(session);
    const state = await this.#sessions.state(session);
    const place = await workspaces.prepare(state);
    if (state.runtime.sandbox === null || state.runtime.sandbox.state === "gone") {
      const sandboxId = this.#sessions.newId("sandbox");
      await this.#sessions.execute(session, "sandbox", { sandboxId, is: "ready" });
    }
    if (this.#closing) throw new HostError("launch_failed", "The host is stopping.");
    const holderId = this.#sessions.newId("holder");
    const wanted = forRun === undefined ? {} : { runId: forRun };
    await this.#sessions.execute(session, "launchHolder", { holderId, ...wanted });
    started();
    try {
      const held = await this.#spawn({ session, holderId });
      const known = mode === "fresh" ? null : state.runtime.agentSessionId;
      const limit = this.#sessions.policy.agentReady;
      const coming = bringUp(held, agent, place, { known, version });
      const up = await inTime(this.#sessions.clock, limit, coming);
      if (up === null) {
        throw new HostError("launch_failed", `The agent did not answer in ${limit / 1000} s.`);
      }
      await this.#ready({ session, holderId }, state, up, mode);
      return up;
    } catch (error) {
      await this.#abandon({ session, holderId });
      throw error;
    }
  }

  async #ready(place: Place, before: SessionState, up: Up, mode: ReviveMode): Promise<void> {
    const { session, holderId } = place;
    const { agentSessionId } = before.runtime;
    const reason = up.refused?.reason ?? (mode === "fresh" ? "started fresh" : null);
    if (agentSessionId !== null && reason !== null) {
      const retired = { agentSessionId, reason: reason.slice(0, 200) };
      await this.#sessions.execute(session, "retireAgentSession", retired);
    }
    const ready = { agentSessionId: up.agentSessionId, holderId };
    await this.#sessions.execute(session, "agentReady", ready);
  }

  async #spawn(place: Place): Promise<Held> {
    const { root, version, random } = this.#options;
    const { policy } = this.#sessions;
    await spawnHolder({
      ...{ root, version, holderId: place.holderId, sessionId: place.session },
      nonce: Buffer.from(random(16)).toString("hex"),
      graceIdleMs: policy.holderIdle,
      graceOpenMs: policy.holderOpen,
    });
    return this.#connect(place, 0);
  }

  async #connect(place: Place, cursor: number, tools = new KnownTools()): Promise<Held> {
    const { session, holderId } = place;
    const { epoch, policy } = this.#sessions;
    const hearing = new Hearing();
    const link = await connectHolder({
      ...{ dir: this.#dir(holderId), epoch, acked: cursor, timeoutMs: policy.holderProbe },
      onReply: (reply) => hearing.onReply(reply),
      onRefused: (refused) => hearing.onRefused(refused),
    });
    const held = new Held(
      {
        ...{ ...this.#options, session, holderId, link, hearing, cursor },
        onExit: (gone) => this.#exited(gone),
        onLost: (lost) => this.#lost(lost),
      },
      tools,
    );
    this.#held.set(session, held);
    return held;
  }

  async #exited(held: Held): Promise<void> {
    const { session, holderId } = held;
    if (this.#held.get(session) === held) this.#held.delete(session);
    await this.#sessions.execute(session, "holderExited", { holderId, reason: "process_exit" });
  }

  /** The link broke: its holder lives and is taken over again, or is proved dead and settled. */
  async #lost(held: Held): Promise<void> {
    const { session, holderId } = held;
    if (this.#held.get(session) === held) this.#held.delete(session);
    try {
      await this.#takeOver({ session, holderId });
    } catch (error) {
      this.#options.onError(session, error);
      const run = openRun(await this.#sessions.state(session));
      // The sweep asks again.
      if (run !== null) {
        await this.#sessions.execute(session, "unreachable", { runId: run.id, holderId });
      }
    }
  }

  /** True when it lives and is this host's now; false when it is proved dead, and settled. */
  async #takeOver({ session, holderId }: Place): Promise<boolean> {
    const verdict = await this.probe(session, holderId);
    if (verdict === "unknown") {
      throw new HostError(
        "unreachable",
        "Its processes may still live somewhere; nothing may start yet. Try again in a while.",
      );
    }
    if (verdict === "alive") {
      await this.adopt(session, holderId);
      return this.#held.has(session);
    }
    await this.drain(session, holderId);
    await this.#sessions.execute(session, "holderExited", { holderId, reason: "process_exit" });
    return false;
  }

  async #settleIdle({ session, holderId }: Place): Promise<boolean> {
    const state = await this.#sessions.state(session).catch((error: unknown) => {
      if (error instanceof HostError && error.code === "session_not_found") return null;
      throw error;
    });
    if (state === null || state.runtime.holderId !== holderId) {
      if (await this.#kill(holderId)) this.#discard(holderId);
      return false;
    }
    if (openRun(state) !== null || this.#held.has(session)) return false;
    if (state.ended !== null) await this.#kill(holderId);
    return this.#takeOver({ session, holderId });
  }

  #end(session: SessionId): void {
    this.#putAway(session).catch((error: unknown) => this.#options.onError(session, error));
  }

  async #putAway(session: SessionId): Promise<void> {
    const held = this.#held.get(session);
    if (held === undefined) return;
    const { clock, policy } = this.#sessions;
    const ended = await inTime(
      clock,
      policy.killLimit,
      held.end("asked").then(() => true),
    );
    if (ended === null) await this.#abandon(held);
  }

  /** Kills a holder that did not come up or go down as it should, and settles what it left. */
  async #abandon({ session, holderId }: Place): Promise<void> {
    const held = this.#held.get(session);
    if (held?.holderId === holderId) {
      held.close();
      await held.over;
      this.#held.delete(session);
    }
    const { runtime } = await this.#sessions.state(session);
    if (runtime.holderId !== holderId) return;
    if (!(await this.#kill(holderId))) {
      throw new HostError("unreachable", "Its agent was killed and is still not gone.");
    }
    await this.drain(session, holderId);
    await this.#sessions.execute(session, "holderExited", { holderId, reason: "process_exit" });
  }

  /** What the journal knows of the calls of the run that goes on. */
  async #tools(session: SessionId): Promise<KnownTools> {
    const state = await this.#sessions.state(session);
    const run = openRun(state);
    if (run === null) return new KnownTools();
    const { messages } = await this.#sessions.transcript(session, state.seq);
    const answer = messages.findLast(({ role, runId }) => role === "assistant" && runId === run.id);
    return KnownTools.of((answer?.contentParts ?? []).filter((part) => part.type === "tool"));
  }

  /** Stops an agent and all it started in place, or lets them go on. */
  async #freeze(session: SessionId, runtime: RuntimeState, still: boolean): Promise<void> {
    const { holderId, sandbox } = runtime;
    if (holderId === null || sandbox === null) return;
    const is = still ? "frozen" : "thawed";
    // What stands still is said to before it does, what moves afterwards: a crash in between errs on
    // the side of a frozen word for a moving agent, and the next look thaws it.
    if (!still) signalAgent(this.#dir(holderId), "SIGCONT");
    await this.#sessions.execute(session, "sandbox", { sandboxId: sandbox.id, is });
    if (still) signalAgent(this.#dir(holderId), "SIGSTOP");
  }

  #agent(name: string): AgentDefinition {
    const agent = this.#options.agents.get(name);
    const missing =
      agent === undefined ? `No agent named "${name}" is known here.` : agent.missing();
    if (agent === undefined || missing !== null) {
      throw new HostError("agent_missing", missing ?? "It is missing.");
    }
    return agent;
  }

  #since(begun: number): number {
    return this.#sessions.clock.steady() - begun;
  }

  #kill(holderId: string): Promise<boolean> {
    return killHolder(this.#made(holderId));
  }

  /** A life that ended before it made the directory started nothing: there its tombstone goes. */
  #made(holderId: string): string {
    const dir = this.#dir(holderId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  #dir(holderId: string): string {
    return join(this.#options.root, holderId);
  }

  #discard(holderId: string): void {
    const gone = rm(this.#dir(holderId), { recursive: true, force: true })
      .catch((error: unknown) => this.#options.onError(null, error))
      .finally(() => this.#discarding.delete(gone));
    this.#discarding.add(gone);
  }
}

/** A dead holder's spool: there is nobody to tell. */
const deaf = {
  durable: () => undefined,
  answer: () => undefined,
  prompted: () => undefined,
  refuse: () => undefined,
  exited: () => undefined,
};
