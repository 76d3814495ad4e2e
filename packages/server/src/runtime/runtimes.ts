/**
 * The runtimes of sessions: revive (one launch for concurrent callers), attend, pause, end, inspect.
 * An agent runs in a holder, or inside this process.
 */

import {
  type Grade,
  HostError,
  openRun,
  type PauseReason,
  type Receipt,
  type Rung,
  receiptFrom,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { Replay } from "../agents/acp/replay.ts";
import type { Agent } from "../agents/agent.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { AgentDefinition, AgentPlace } from "../agents/table/table.ts";
import { unwritableDirectories } from "../agents/table/unwritable-directories.ts";
import type { Clock } from "../base/clock.ts";
import { inTime } from "../base/in-time.ts";
import type { Policy } from "../base/policy.ts";
import { isLate } from "../session/refusals.ts";
import type { EarlierTranscript, Sessions } from "../session/sessions.ts";
import { writtenIn } from "../workspace/short-files.ts";
import { noFindings, type WorkspaceFindings } from "../workspace/workspace-findings.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import type { AgentConnection } from "./agent-connection.ts";
import { breakDown } from "./break-down.ts";
import type { Holders } from "./holders.ts";
import type { InProcessAgents } from "./in-process-agents.ts";
import { nextRung, startAgent } from "./launch.ts";
import type { LiveLimits } from "./launch-queue.ts";
import { LivePlaces } from "./live-places.ts";
import { type Recovered, receiptOf } from "./resume/receipt.ts";
import type { StartedAgent } from "./resume/started-agent.ts";

export type ReviveMode = "revive" | "continue" | "fresh";

export interface Revived {
  readonly rung: Rung;
  readonly ms: number;
  readonly grade: Grade | null;
  readonly receipt: Receipt | null;
}

export interface Reviving {
  /** Resolves when `starting` is durable, or when there was nothing to start. */
  readonly started: Promise<void>;
  /** The result; null when the runtime was already up. The revive goes on also without a caller. */
  readonly done: Promise<Revived | null>;
}

interface RuntimesOptions {
  readonly version: string;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly holders: Holders;
  readonly inProcess: InProcessAgents;
  /** False when the caller of `wireHost` attends to the agents in holders itself. */
  readonly attendsHolders: boolean;
  readonly workspaces: Workspaces;
  readonly agents: KnownAgents;
  readonly limits: LiveLimits;
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

/** A launch in progress. */
interface Launch {
  readonly mode: ReviveMode;
  /** The only run that needs this launch; its cancel stops the launch. */
  forRun: string | undefined;
  readonly started: () => void;
  /** Resolves when the receipt of the launch is durable, or the launch has failed. */
  readonly receipted: Promise<void>;
  /** Stops the launch on a pause, an end, or a cancel of its run. */
  readonly stop: AbortController;
}

interface Launched {
  readonly up: StartedAgent;
  readonly found: Promise<WorkspaceFindings> | null;
  /** The transcript that the agent's memory was compared with; null when it started fresh. */
  readonly earlier: EarlierTranscript | null;
}

interface Launching extends Reviving {
  readonly launch: Launch;
}

export class Runtimes {
  readonly #options: RuntimesOptions;
  readonly #sessions: Sessions;
  readonly #holders: Holders;
  readonly #reviving = new Map<SessionId, Launching>();
  /** Cancelled runs whose holder has not confirmed yet. */
  readonly #cancelled = new Set<string>();
  readonly #places: LivePlaces;
  readonly #closing = new AbortController();

  constructor(options: RuntimesOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#holders = options.holders;
    this.#places = new LivePlaces({
      ...options,
      isReviving: (session) => this.#reviving.has(session),
      pause: (session) => this.pause(session, "idle"),
    });
  }

  /** Counts live agents of an earlier boot before the first launch. */
  async countLiving(): Promise<void> {
    for (const { holderId, ...place } of await this.living()) {
      this.#places.occupy(holderId, place);
    }
  }

  /** Sessions whose holder may be alive. */
  living(): Promise<{ session: SessionId; holderId: string; tenant: string }[]> {
    return this.#holders.find();
  }

  /** True while a process of the session may live: its holder, or its agent inside this one. */
  isUp(session: SessionId, { runtime }: SessionState): boolean {
    return runtime.holderId !== null || this.#options.inProcess.get(session) !== undefined;
  }

  get live(): number {
    return this.#holders.size + this.#options.inProcess.size;
  }

  async attend(session: SessionId, state: SessionState): Promise<void> {
    const { runtime } = state;
    if (runtime.holderId === null) return this.#options.inProcess.get(session)?.attend(state);
    if (!this.#options.attendsHolders) return;
    const run = openRun(state);
    if (run !== null && run.cancel !== null) this.#watchCancel(session, run.id, runtime.holderId);
    const isAbandoned = run !== null && run.paused === "abandoned" && run.cancel === null;
    const still = isAbandoned && this.#options.agents.mayFreeze(state.agentName);
    if (runtime.state === (still ? "live" : "frozen")) {
      await this.#holders.freeze(session, runtime, still);
    } else {
      const connection = this.#holders.get(session);
      if (connection === undefined) await this.#reconnect(session, state);
      else await connection.attend(state);
    }
  }

  /**
   * Ends a cancelled run whose holder does not confirm, because it is stopped or hangs. Its
   * processes are killed by their recorded identity; the outcome waits for proof that all are gone.
   */
  #watchCancel(session: SessionId, runId: string, holderId: string): void {
    if (this.#cancelled.has(runId)) return;
    this.#cancelled.add(runId);
    const { clock, policy } = this.#options;
    clock.after(policy.cancelGrace + policy.killLimit, () => {
      this.#cancelled.delete(runId);
      const connection = this.#holders.get(session);
      // The agent may have confirmed already, in frames that a full disk holds up.
      if (connection?.holderId === holderId && connection.waitsForDisk) {
        this.#watchCancel(session, runId, holderId);
        return;
      }
      this.#endCancelled(session, runId, holderId).catch((error: unknown) => {
        if (!isLate(error)) this.#options.onError(session, error);
      });
    });
  }

  async #endCancelled(session: SessionId, runId: string, holderId: string): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const state = await this.#sessions.state(session);
    if (openRun(state)?.id !== runId || state.runtime.holderId !== holderId) return;
    // Retried on a full disk, because no later event would retry this.
    await this.#sessions.patiently(this.#closing.signal, async () => {
      await this.#holders.killAndSettle({ session, holderId });
      await this.#sessions.execute(session, "settleCancel", { runId });
    });
  }

  /** Adopts or settles a holder without a connection, or records that it is unreachable. */
  async #reconnect(session: SessionId, { runtime, run }: SessionState): Promise<void> {
    const { holderId } = runtime;
    if (holderId === null || this.#reviving.has(session) || run?.unreachable === true) return;
    try {
      await this.#holders.adoptOrSettle({ session, holderId });
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "unreachable") throw error;
      if (run === null || run.outcome !== null) return;
      await this.#sessions.execute(session, "unreachable", { runId: run.id, holderId });
    }
  }

  /** For the sweep: adopts holders without a connection. */
  async adoptIdle(): Promise<void> {
    await this.#holders.adoptIdle((session) => this.#reviving.has(session));
  }

  /** Milliseconds of steady time since the agent's last output; null without a connection. */
  silence(session: SessionId): number | null {
    return this.#connection(session)?.silence ?? null;
  }

  kill(session: SessionId): void {
    this.#connection(session)?.kill();
  }

  #connection(session: SessionId): AgentConnection | undefined {
    return this.#holders.get(session) ?? this.#options.inProcess.get(session);
  }

  /** Single flight: concurrent callers share one launch and its result. */
  revive(session: SessionId, mode: ReviveMode, forRun?: string): Reviving {
    const known = this.#reviving.get(session);
    if (known !== undefined && !known.launch.stop.signal.aborted) {
      if (known.launch.forRun !== forRun) known.launch.forRun = undefined;
      return known;
    }
    const started = Promise.withResolvers<void>();
    const receipted = Promise.withResolvers<void>();
    const launch = {
      mode,
      forRun,
      started: started.resolve,
      receipted: receipted.promise,
      stop: new AbortController(),
    };
    // A stopped launch is still ending; the next one begins when it has ended.
    const before = known?.done.catch(() => null) ?? Promise.resolve(null);
    const done = before.then(() => this.#revive(session, launch));
    const reviving = { started: started.promise, done, launch };
    this.#reviving.set(session, reviving);
    const over = () => {
      receipted.resolve();
      if (this.#reviving.get(session) === reviving) this.#reviving.delete(session);
    };
    done.then(over, over);
    done.then(() => started.resolve(), started.reject);
    started.promise.catch(() => undefined);
    return reviving;
  }

  /** Pauses the session: its agent ends, and everything that a revive needs is kept. */
  async pause(session: SessionId, reason: PauseReason = "explicit"): Promise<void> {
    const { state } = await this.#sessions.execute(session, "pause", { reason });
    // A message came first, so the agent is needed.
    if (state.paused === null) return;
    await this.#stopReviving(
      session,
      "The session was paused while the agent was starting. Resume it.",
    );
    // Ends only the holder of the paused state; a later request gets another.
    await this.#endAgent(session, state, state.runtime.holderId);
  }

  async #endAgent(
    session: SessionId,
    { agentName }: SessionState,
    holderId?: string | null,
  ): Promise<void> {
    const { agents, inProcess } = this.#options;
    await this.#holders.end(session, holderId);
    if (agents.inProcess(agentName) !== undefined) await inProcess.end(session);
  }

  /** Stops a launch that only this cancelled run needed. */
  cancelLaunch(session: SessionId, runId: string): void {
    const reviving = this.#reviving.get(session);
    if (reviving?.launch.forRun !== runId) return;
    this.#stop(
      session,
      reviving.launch,
      "The run was cancelled while the agent was starting. Try again.",
    );
  }

  async #stopReviving(session: SessionId, why: string): Promise<void> {
    const reviving = this.#reviving.get(session);
    if (reviving === undefined) return;
    this.#stop(session, reviving.launch, why);
    await reviving.done.catch(() => undefined);
  }

  #stop(session: SessionId, { stop }: Launch, why: string): void {
    if (stop.signal.aborted) return;
    stop.abort(new HostError("cancel_pending", why));
    this.kill(session);
  }

  /** Ends the session and its agent for good. */
  async end(session: SessionId): Promise<void> {
    const { state } = await this.#sessions.execute(session, "end", { reason: "explicit" });
    await this.#stopReviving(session, "The session was ended while the agent was starting.");
    await this.#endAgent(session, state);
  }

  /** The rung that a revive would try first. */
  nextRung(state: SessionState): Rung | null {
    const agent = this.#options.agents.get(state.agentName);
    return nextRung(state, agent, this.#sessions.epoch);
  }

  /** Demo sessions only: kills the named process, to show the recovery. */
  async break(session: SessionId, what: "host" | "holder" | "agent"): Promise<void> {
    const { agentName, runtime } = await this.#sessions.state(session);
    if (agentName !== "demo") {
      throw new HostError("forbidden", "Only sessions of the demo agent may be broken on purpose.");
    }
    breakDown(runtime.holderId === null ? null : this.#holders.dir(runtime.holderId), what);
  }

  /** Closes and returns the number of runs that go on without this host. */
  async close(): Promise<number> {
    this.#closing.abort();
    this.#places.close();
    // Launches in progress are stopped, because they have no prompt yet.
    for (const [session, { launch }] of this.#reviving) {
      this.#stop(session, launch, "The host stopped while the agent was starting. Try again.");
    }
    const { clock, policy } = this.#options;
    const settled = Promise.allSettled([...this.#reviving.values()].map(({ done }) => done));
    await inTime(clock, policy.killLimit, settled);
    await this.#options.inProcess.close();
    return this.#holders.close();
  }

  async #revive(session: SessionId, launch: Launch): Promise<Revived | null> {
    const { mode, started } = launch;
    const { signal: stopped } = launch.stop;
    const begun = this.#options.clock.steady();
    const before = await this.#sessions.state(session);
    const inProcess = this.#options.agents.inProcess(before.agentName);
    if (inProcess !== undefined) return this.#reviveInProcess(session, inProcess, launch);
    const { holderId } = before.runtime;
    if (holderId !== null && this.#holders.get(session) === undefined) {
      const taken = await this.#holders.adoptOrSettle({ session, holderId }, "wanted");
      if (taken) {
        const receipt = await this.#receiptSince(session, before.seq);
        return { rung: "adopted", ms: this.#since(begun), grade: null, receipt };
      }
    }
    const state = await this.#sessions.state(session);
    const isConnected = this.#holders.get(session) !== undefined;
    if (state.runtime.state === "frozen" && isConnected && mode !== "fresh") {
      await this.#thaw(session, state);
      return { rung: "live", ms: this.#since(begun), grade: null, receipt: null };
    }
    const agent = this.#options.agents.installed(state.agentName);
    const isFirst = !state.runtime.seen && state.paused === null;
    if (isFirst && this.#holders.get(session) !== undefined) return null;
    if (!isFirst) {
      const isIdle = isConnected && openRun(state) === null;
      const isFolderGone = isIdle && (await this.#options.workspaces.isGone(state));
      const { events } = await this.#sessions.execute(session, "revive", { mode, isFolderGone });
      if (events.length === 0) return null;
      started();
    }
    try {
      const { up, found, earlier } = await this.#launch(session, agent, launch, isFirst);
      const revived = { rung: up.rung, ms: this.#since(begun), grade: up.grade };
      if (isFirst) return { ...revived, receipt: null };
      const { state: now } = await this.#sessions.execute(session, "revived", revived);
      const transcript = await this.#sessions.transcript(session, now.seq, earlier);
      const recovered = { up, ms: revived.ms, run: now.run, transcript };
      return { ...revived, receipt: await this.#receipt(session, recovered, found) };
    } catch (failure) {
      throw await this.#failed(session, stopped.aborted ? stopped.reason : failure);
    }
  }

  /** Records that a revive failed; returns the error for its callers. */
  async #failed(session: SessionId, error: unknown): Promise<HostError> {
    const known = error instanceof HostError ? error : null;
    const message = known?.message ?? (error instanceof Error ? error.message : String(error));
    const reason = { code: known?.code ?? "launch_failed", message: message.slice(0, 1000) };
    // Retried on a full disk, because the session would count as starting until a restart.
    await this.#sessions
      .patiently(this.#closing.signal, () =>
        this.#sessions.execute(session, "reviveFailed", { error: reason }),
      )
      .catch(() => undefined);
    if (known !== null) return known;
    this.#options.onError(session, error);
    return new HostError("launch_failed", `The agent could not be started: ${message}`);
  }

  /**
   * An agent inside this process has no session of its own to load, and starts with its prompt. Only
   * a revive that a caller asked for is recorded; a run needs no record of it.
   */
  async #reviveInProcess(
    session: SessionId,
    agent: Agent,
    { mode, forRun, started }: Launch,
  ): Promise<Revived | null> {
    const begun = this.#options.clock.steady();
    const isAsked = forRun === undefined;
    const asked = isAsked ? await this.#sessions.execute(session, "revive", { mode }) : null;
    const isRecorded = asked !== null && asked.events.length > 0;
    const revived = { rung: "fresh", ms: this.#since(begun), grade: null } as const;
    if (isRecorded) {
      started();
      try {
        await this.#sessions.execute(session, "revived", revived);
      } catch (failure) {
        throw await this.#failed(session, failure);
      }
    }
    const state = await this.#sessions.state(session);
    if (openRun(state) !== null) this.#options.inProcess.open(session, agent);
    return isRecorded ? { ...revived, receipt: null } : null;
  }

  /** Issues the receipt of a revive; null for a session without messages. */
  async #receipt(
    session: SessionId,
    recovered: Omit<Recovered, "found">,
    looking: Promise<WorkspaceFindings> | null,
  ): Promise<Receipt | null> {
    if (recovered.transcript.messages.length === 0) return null;
    const receipt = receiptOf({ ...recovered, found: (await looking) ?? noFindings });
    const { events } = await this.#sessions.execute(session, "receipt", receipt);
    const issued = events.find((event) => event.kind === "receipt.issued");
    return issued === undefined ? null : receiptFrom(issued);
  }

  async #receiptSince(session: SessionId, seq: number): Promise<Receipt | null> {
    const { transcript } = await this.#sessions.open(session);
    return transcript.receipts.findLast((receipt) => receipt.seq > seq) ?? null;
  }

  /** Resumes a frozen agent in its place. */
  async #thaw(session: SessionId, { run, runtime }: SessionState): Promise<void> {
    if (run?.paused != null) {
      await this.#sessions.execute(session, "unpauseRun", { runId: run.id, by: "revive" });
    }
    await this.#holders.freeze(session, runtime, false);
  }

  async #launch(
    session: SessionId,
    agent: AgentDefinition,
    launch: Launch,
    isFirst: boolean,
  ): Promise<Launched> {
    const { workspaces, version } = this.#options;
    const { mode, started } = launch;
    const { signal: stopped } = launch.stop;
    if (this.#holders.get(session) !== undefined) await this.#holders.end(session);
    const holderId = this.#sessions.newId("holder");
    await this.#places.take({ session, holderId }, launch.started, stopped);
    let state: SessionState;
    let place: AgentPlace;
    try {
      state = await this.#withLoss(session);
      place = await workspaces.prepare(state);
      await mustBeWritable(agent, place);
      if (state.runtime.sandbox === null || state.runtime.sandbox.state === "gone") {
        const sandboxId = this.#sessions.newId("sandbox");
        await this.#sessions.execute(session, "sandbox", { sandboxId, is: "ready" });
      }
      if (this.#closing.signal.aborted)
        throw new HostError("launch_failed", "The host is stopping.");
      stopped.throwIfAborted();
      const wanted = launch.forRun === undefined ? {} : { runId: launch.forRun };
      await this.#sessions.execute(session, "launchHolder", { holderId, ...wanted });
    } catch (error) {
      // No holder was launched whose exit would free the place.
      this.#places.free(holderId);
      throw error;
    }
    started();
    try {
      const replay = new Replay();
      const { connection, link } = await this.#holders.start({ session, holderId }, replay);
      stopped.throwIfAborted();
      // The agent starts while the transcript is read.
      link.launch(agent.launch(place));
      const known = mode === "fresh" ? null : state.runtime.agentSessionId;
      const limit = this.#options.policy.agentReady;
      const transcript =
        mode === "fresh" ? null : await this.#sessions.transcript(session, state.seq);
      const { clock } = this.#options;
      const model = openRun(state)?.model ?? state.model;
      const isNew = state.runtime.agentSessionId === null;
      const start = {
        connection,
        link,
        agent,
        place,
        clock,
        version,
        model,
        isNew,
        known,
        transcript,
        replay,
      };
      const starting = startAgent(start).finally(() => {
        const { models } = connection;
        if (models !== null) this.#options.agents.offered(state, models.offer);
      });
      // Reads the workspace during the agent's start, which takes longer; a first launch has
      // nothing to compare. It never rejects, so a failed start may ignore it.
      const written = transcript === null ? [] : writtenIn(transcript);
      const found = isFirst ? null : workspaces.look(state, written);
      const up = await inTime(clock, limit, starting);
      if (up === null) {
        throw new HostError("launch_failed", `The agent did not answer in ${limit / 1000} s.`);
      }
      stopped.throwIfAborted();
      await this.#retire(session, state, up, mode);
      // Recorded before the agent is ready, because later output counts as new.
      if (up.recovered !== null) await this.#sessions.execute(session, "recover", up.recovered);
      stopped.throwIfAborted();
      // The agent is up: a cancel of the run leaves it idle for the next prompt.
      launch.forRun = undefined;
      await connection.ready(up, found, launch.receipted);
      this.#holders.prepareNext();
      return { up, found, earlier: transcript === null ? null : { seq: state.seq, transcript } };
    } catch (error) {
      await this.#holders.killAndSettle({ session, holderId });
      throw error;
    }
  }

  /** Journals the loss of the session's folder before `prepare` makes an empty one in its place. */
  async #withLoss(session: SessionId): Promise<SessionState> {
    const state = await this.#sessions.state(session);
    const what = await this.#options.workspaces.lossOf(state);
    if (what === null) return state;
    return (await this.#sessions.execute(session, "loseWorkspace", { what })).state;
  }

  /** Retires an agent session id that the agent refused or that a fresh start replaced. */
  async #retire(
    session: SessionId,
    before: SessionState,
    up: StartedAgent,
    mode: ReviveMode,
  ): Promise<void> {
    const { agentSessionId } = before.runtime;
    const reason = up.refused?.reason ?? (mode === "fresh" ? "started fresh" : null);
    if (agentSessionId !== null && reason !== null) {
      const retired = { agentSessionId, reason: reason.slice(0, 200) };
      await this.#sessions.execute(session, "retireAgentSession", retired);
    }
  }

  #since(begun: number): number {
    return this.#options.clock.steady() - begun;
  }
}

/** Refuses an agent that cannot save its sessions and would forget all on a restart. */
async function mustBeWritable(agent: AgentDefinition, place: AgentPlace): Promise<void> {
  const [dir] = await unwritableDirectories(agent, place);
  if (dir === undefined) return;
  throw new HostError(
    "launch_failed",
    `The agent keeps its sessions in ${dir}, which is not writable. Make it writable, or set "home": "private" for this agent in config.json.`,
  );
}
