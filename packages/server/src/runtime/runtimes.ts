/** The runtimes of sessions, in holders or in this process: revive, attend, pause, end. */

import {
  HostError,
  openRun,
  type PauseReason,
  type Rung,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { inTime } from "../base/in-time.ts";
import type { Sessions } from "../session/sessions.ts";
import type { AgentConnection } from "./agent-connection.ts";
import { breakDown } from "./break-down.ts";
import { CancelWatch } from "./cancel-watch.ts";
import type { Launch, ReviveMode } from "./holder-launch.ts";
import type { Holders } from "./holders.ts";
import { nextRung } from "./launch.ts";
import type { LiveLimits } from "./launch-queue.ts";
import { LivePlaces } from "./live-places.ts";
import { type ReviveDeps, type Revived, reviveSession } from "./revive.ts";

export interface Reviving {
  /** Resolves when `starting` is durable, or when there was nothing to start. */
  readonly started: Promise<void>;
  /** The result; null when the runtime was already up. The revive goes on also without a caller. */
  readonly done: Promise<Revived | null>;
}

interface RuntimesOptions extends Omit<ReviveDeps, "places" | "closing"> {
  /** False when the caller of `wireHost` attends to the agents in holders itself. */
  readonly attendsHolders: boolean;
  readonly limits: LiveLimits;
  readonly onError: (session: SessionId | null, error: unknown) => void;
}

interface Launching extends Reviving {
  readonly launch: Launch;
}

export class Runtimes {
  readonly #options: RuntimesOptions;
  readonly #sessions: Sessions;
  readonly #holders: Holders;
  readonly #reviving = new Map<SessionId, Launching>();
  readonly #places: LivePlaces;
  readonly #cancels: CancelWatch;
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
    this.#cancels = new CancelWatch({ ...options, closing: this.#closing.signal });
  }

  /** Counts live agents of an earlier boot before the first launch. */
  async countLiving(): Promise<void> {
    for (const { holderId, ...place } of await this.living()) {
      this.#places.occupy(holderId, place);
    }
  }

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
    if (run !== null && run.cancel !== null) this.#cancels.watch(session, run.id, runtime.holderId);
    const isAbandoned = run !== null && run.paused === "abandoned" && run.cancel === null;
    const isFrozen = isAbandoned && this.#options.agents.mayFreeze(state.agentName);
    const connection = this.#holders.get(session);
    if (connection === undefined) await this.#reconnect(session, state);
    else if (runtime.state !== (isFrozen ? "live" : "frozen")) await connection.attend(state);
    else await this.#holders.setFrozen(session, runtime, isFrozen);
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
      starting: null,
      started: started.resolve,
      receipted: receipted.promise,
      stop: new AbortController(),
    };
    // A stopped launch is still ending; the next one begins when it has ended.
    const before = known?.done.catch(() => null) ?? Promise.resolve(null);
    const deps = { ...this.#options, places: this.#places, closing: this.#closing.signal };
    const done = before.then(() => reviveSession(deps, session, launch));
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

  /** Ends the agent only while it starts: a revive of one that is up must not cut off its turn. */
  #stop(session: SessionId, { stop, starting }: Launch, why: string): void {
    if (stop.signal.aborted) return;
    stop.abort(new HostError("cancel_pending", why));
    const connection = this.#holders.get(session);
    if (starting !== null && connection?.holderId === starting) connection.kill();
  }

  /** Ends the session and its agent for good. */
  async end(session: SessionId, reason: "explicit" | "deleted" = "explicit"): Promise<void> {
    const { state } = await this.#sessions.execute(session, "end", { reason });
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
}
