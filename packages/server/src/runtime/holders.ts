/** The connected holders, one per session: starts, adopts, ends, and settles the proved dead. */

import {
  HostError,
  openRun,
  type RuntimeState,
  type SessionId,
  type SessionState,
  type WorkspaceContents,
} from "@holdfast/protocol";
import { KnownTools } from "../agents/acp/acp-tools.ts";
import type { Replay } from "../agents/acp/replay.ts";
import { inTime } from "../base/in-time.ts";
import { HolderRefused } from "../holder/host-side/link.ts";
import { endHolder, type HolderLiveness, signalAgent } from "../holder/host-side/liveness.ts";
import { SpoolGap } from "../holder/host-side/read-spool.ts";
import type { SpareHolder } from "../holder/host-side/spare-holder.ts";
import { spawnHolder } from "../holder/host-side/spawn.ts";
import type { Journal } from "../journal/journal.ts";
import type { OpenedFiles } from "../opened-files.ts";
import {
  adoptRun,
  each,
  type HolderRecovery,
  PARALLEL,
  recordHolderExit,
} from "../session/recovery.ts";
import type { Sessions } from "../session/sessions.ts";
import { AgentConnection, type AgentConnectionDeps } from "./agent-connection.ts";
import { drainSpool } from "./drain-spool.ts";
import { HolderDirectories } from "./holder-directories.ts";
import { connectAgent, type HolderLink } from "./holder-link.ts";
import { ReconnectDelay } from "./reconnect-delay.ts";
import { SessionTurns } from "./session-turns.ts";

interface HoldersOptions extends AgentConnectionDeps {
  readonly journal: Journal;
  readonly root: string;
  readonly version: string;
  readonly umask: number;
  readonly spare?: SpareHolder | undefined;
  readonly openedFiles: OpenedFiles;
  readonly contents: (state: SessionState) => Promise<WorkspaceContents | null>;
  readonly onError: (session: SessionId | null, error: unknown) => void;
  /** Called when a lost link to a living holder is back, without an event. */
  readonly onReconnected: (session: SessionId) => void;
}

/** The exit reason of a holder whose frames do not fit this journal. */
const MISMATCH = "journal_mismatch";

/** Why a holder is adopted: its session is requested, or an earlier boot left it. */
type Why = "wanted" | "left";

interface SessionHolder {
  readonly session: SessionId;
  readonly holderId: string;
}

interface Connected {
  readonly connection: AgentConnection;
  readonly link: HolderLink;
}

export class Holders implements HolderRecovery {
  readonly #options: HoldersOptions;
  readonly #sessions: Sessions;
  readonly #connections = new Map<SessionId, AgentConnection>();
  readonly #directories: HolderDirectories;
  readonly #reconnects: ReconnectDelay;
  /** Two callers must not settle the same holder. */
  readonly #turns = new SessionTurns();
  readonly #leave: () => void;
  readonly #stop = new AbortController();

  constructor(options: HoldersOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    const { root, openedFiles, onError } = options;
    this.#reconnects = new ReconnectDelay(options.clock);
    this.#directories = new HolderDirectories(root, openedFiles, onError);
    this.#leave = this.#sessions.onDurable((session, { events }) => {
      for (const event of events) {
        // A holder's directory is its spool; it is deleted once the holder's exit is journalled.
        if (event.kind === "holder.exited") this.#directories.discard(event.holderId);
        if (event.kind === "session.ended") this.#end(session);
      }
    });
  }

  get size(): number {
    return this.#connections.size;
  }

  get(session: SessionId): AgentConnection | undefined {
    return this.#connections.get(session);
  }

  dir(holderId: string): string {
    return this.#directories.dir(holderId);
  }

  async probe(session: SessionId, holderId: string): Promise<HolderLiveness> {
    const { runtime } = await this.#sessions.state(session);
    // The agent was never ready, so there is nothing to adopt; the next launch starts anew.
    if (runtime.readyHolderId !== holderId) {
      return (await this.#directories.kill(holderId)) ? "dead" : "unknown";
    }
    return this.#directories.liveness(holderId, this.#options.policy.holderProbe);
  }

  adopt(session: SessionId, holderId: string): Promise<void> {
    return this.#turns.run(session, () => this.#adopt({ session, holderId }, "left"));
  }

  drain(session: SessionId, holderId: string): Promise<void> {
    return this.#turns.run(session, () => this.#drain({ session, holderId }));
  }

  async #adopt({ session, holderId }: SessionHolder, why: Why): Promise<void> {
    const begun = this.#options.clock.steady();
    const cursor = await this.#options.journal.cursor(session, holderId);
    const tools = await this.#tools(session);
    const connected = await this.#connect({ session, holderId }, cursor, { tools }).catch(
      (error: unknown) => this.#refused({ session, holderId }, error),
    );
    if (connected === null) return;
    const { connection } = connected;
    await connection.caughtUp;
    if (connection.hasExited) {
      await connection.over;
      return;
    }
    const state = await this.#sessions.state(session);
    if (state.paused !== null && why === "left") {
      // The host died during a pause: the pause is completed now, and the run stays as it is.
      await connection.end("asked");
      return;
    }
    const run = openRun(state);
    if (run !== null) await adoptRun(this.#sessions, session, run.id);
    // A reconnect within one boot needs no event, but what came meanwhile must be sent.
    if (state.runtime.epoch === this.#sessions.epoch) {
      this.#options.onReconnected(session);
      return;
    }
    // The run goes on under this host, so its agent must not stay frozen.
    if (state.runtime.state === "frozen") await this.setFrozen(session, state.runtime, false);
    const ms = this.#options.clock.steady() - begun;
    await this.#sessions.execute(session, "revived", { rung: "adopted", ms });
  }

  /**
   * Handles a holder that refuses this host for good: it has seen boots that this restored journal
   * does not know. Adopting it would leave a gap in the journal, so it is killed, and its run is
   * settled.
   */
  async #refused(holder: SessionHolder, error: unknown): Promise<null> {
    if (!(error instanceof HolderRefused)) throw error;
    this.#options.onError(holder.session, error);
    await this.#settleKilled(holder, MISMATCH);
    return null;
  }

  async contents(session: SessionId): Promise<WorkspaceContents | null> {
    return this.#options.contents(await this.#sessions.state(session));
  }

  async #drain({ session, holderId }: SessionHolder): Promise<void> {
    const cursor = await this.#options.journal.cursor(session, holderId);
    const tools = await this.#tools(session);
    try {
      await drainSpool(this.dir(holderId), { ...this.#options, session, holderId, cursor, tools });
    } catch (error) {
      if (!(error instanceof SpoolGap)) throw error;
      // Frames behind a gap would look complete in the journal, so all of them are dropped.
      this.#options.onError(session, error);
      await this.#foundDead({ session, holderId }, MISMATCH);
    }
  }

  /** Sessions whose holder may be alive, by the journal and the holders' directories. */
  async find(): Promise<(SessionHolder & { readonly tenant: string })[]> {
    const living: (SessionHolder & { readonly tenant: string })[] = [];
    for (const { holderId, sessionId } of this.#directories.list()) {
      const session = sessionId as SessionId;
      const state = await this.#sessions.state(session).catch(() => null);
      if (state?.runtime.holderId === holderId) {
        living.push({ session, holderId, tenant: state.tenant });
      }
    }
    return living;
  }

  /** Adopts idle agents of an earlier boot, and kills holders that no session refers to. */
  async adoptIdle(isBusy: (session: SessionId) => boolean = () => false): Promise<SessionId[]> {
    const adopted: SessionId[] = [];
    await each(this.#directories.list(), PARALLEL, async ({ holderId, sessionId }) => {
      const session = sessionId as SessionId;
      try {
        if (!isBusy(session) && (await this.#settleIdle({ session, holderId })))
          adopted.push(session);
      } catch (error) {
        this.#options.onError(session, error);
      }
    });
    return adopted;
  }

  prepareNext(): void {
    this.#options.spare?.fill();
  }

  /** Starts a holder and connects to it. `replay` collects the agent's output until it is ready. */
  async start(holder: SessionHolder, replay: Replay): Promise<Connected> {
    const { root, version, umask, random, spare } = this.#options;
    const { policy } = this.#options;
    await spawnHolder({
      root,
      version,
      umask,
      spare,
      holderId: holder.holderId,
      sessionId: holder.session,
      nonce: Buffer.from(random(16)).toString("hex"),
      graceIdleMs: policy.holderIdle,
      graceOpenMs: policy.holderOpen,
    }).catch((error: Error) => {
      throw new HostError("launch_failed", error.message);
    });
    return this.#connect(holder, 0, { replay });
  }

  /** True when the holder is alive and adopted, false when proved dead and settled. */
  adoptOrSettle(holder: SessionHolder, why: Why = "left"): Promise<boolean> {
    return this.#turns.run(holder.session, () => this.#adoptOrSettle(holder, why));
  }

  async #adoptOrSettle({ session, holderId }: SessionHolder, why: Why): Promise<boolean> {
    const { runtime } = await this.#sessions.state(session);
    // Another caller was first and has settled it.
    if (runtime.holderId !== holderId || this.#connections.has(session))
      return this.#connections.has(session);
    const holder = { session, holderId };
    if (await this.#isAlive(holder)) {
      try {
        await this.#adopt(holder, why);
        return this.#connections.has(session);
      } catch (error) {
        if (error instanceof HostError) throw error;
        // The holder may have died after the probe; otherwise it lives and cannot be reached.
        this.#options.onError(session, error);
        if (await this.#isAlive(holder)) throw unreachable();
      }
    }
    await this.#drain(holder);
    await this.#foundDead(holder, "process_exit");
    return false;
  }

  /** Throws when it cannot be told. */
  async #isAlive({ session, holderId }: SessionHolder): Promise<boolean> {
    const verdict = await this.probe(session, holderId);
    if (verdict === "unknown") throw unreachable();
    return verdict === "alive";
  }

  async end(session: SessionId, holderId?: string | null): Promise<void> {
    const connection = this.#connections.get(session);
    if (connection === undefined || (holderId !== undefined && connection.holderId !== holderId))
      return;
    const { clock, policy } = this.#options;
    const ended = await inTime(
      clock,
      policy.killLimit,
      connection.end("asked").then(() => true),
    );
    const { runtime } = await this.#sessions.state(session);
    const { holderId: current } = connection;
    if (current !== null && (ended === null || runtime.holderId === current)) {
      await this.killAndSettle({ session, holderId: current });
    }
  }

  /** Kills a holder that failed to start or to end, and settles its run. */
  async killAndSettle(holder: SessionHolder): Promise<void> {
    const connection = this.#connections.get(holder.session);
    if (connection?.holderId === holder.holderId) {
      connection.drop();
      await connection.over;
      if (this.#connections.get(holder.session) === connection)
        this.#connections.delete(holder.session);
    }
    await this.#turns.run(holder.session, () => this.#settleKilled(holder));
  }

  async #settleKilled(
    { session, holderId }: SessionHolder,
    reason = "process_exit",
  ): Promise<void> {
    const { runtime } = await this.#sessions.state(session);
    if (runtime.holderId !== holderId) return;
    if (!(await this.#directories.kill(holderId))) {
      throw new HostError(
        "unreachable",
        "The agent was killed, but its process has not ended yet. Try again in a moment.",
      );
    }
    await this.#drain({ session, holderId });
    await this.#foundDead({ session, holderId }, reason);
  }

  #foundDead(holder: SessionHolder, reason: string): Promise<void> {
    return recordHolderExit(this.#sessions, this, { ...holder, reason }, "found dead");
  }

  /** Freezes the agent with all its processes, or thaws it; without a connection it does neither. */
  async setFrozen(session: SessionId, runtime: RuntimeState, isFrozen: boolean): Promise<void> {
    const { holderId, sandbox } = runtime;
    const connection = this.#connections.get(session);
    if (holderId === null || sandbox === null || connection === undefined) return;
    if (await connection.setFrozen(isFrozen)) return;
    // A holder of an earlier version leaves it to the host.
    const is = isFrozen ? "frozen" : "thawed";
    // A freeze is recorded before the signal, a thaw after it. After a crash in between, a running
    // agent is recorded as frozen, and the next `attend` thaws it.
    if (!isFrozen) signalAgent(this.dir(holderId), "SIGCONT");
    await this.#sessions.execute(session, "sandbox", { sandboxId: sandbox.id, is });
    if (isFrozen) signalAgent(this.dir(holderId), "SIGSTOP");
  }

  /** Ends idle agents; returns the number of runs that go on in their holders. */
  async close(): Promise<number> {
    this.#stop.abort();
    this.#options.spare?.end();
    let left = 0;
    await Promise.all(
      [...this.#connections].map(async ([session, connection]) => {
        if (openRun(await this.#sessions.state(session)) === null) return this.end(session);
        left++;
        connection.close();
        return connection.over;
      }),
    );
    this.#leave();
    await this.#directories.settled();
    return left;
  }

  async #connect(
    holder: SessionHolder,
    cursor: number,
    { tools, replay }: { readonly tools?: KnownTools; readonly replay?: Replay },
  ): Promise<Connected> {
    const { session, holderId } = holder;
    const { epoch } = this.#sessions;
    const link = await connectAgent({
      dir: this.dir(holderId),
      epoch,
      acked: cursor,
      timeoutMs: this.#options.policy.holderProbe,
    });
    const connection = new AgentConnection(
      {
        ...this.#options,
        session,
        holderId,
        link,
        cursor,
        ...(replay === undefined ? {} : { replay }),
        onExit: (gone) => this.#exited(holder, gone),
        onLost: (lost) => this.#lost(holder, lost),
      },
      tools,
    );
    this.#connections.set(session, connection);
    return { connection, link };
  }

  async #exited(holder: SessionHolder, connection: AgentConnection): Promise<void> {
    const { session, holderId } = holder;
    // All frames are journalled. If the link was closed before the acknowledgement, the holder does
    // not know that and would wait for a host until its grace time is over.
    if (!(await endHolder(this.dir(holderId)))) {
      this.#options.onError(session, new Error(`Holder ${holderId} was killed and is not gone.`));
    }
    if (this.#connections.get(session) === connection) this.#connections.delete(session);
    const gone = { ...holder, reason: "process_exit" };
    const how = connection.wasExited ? "found dead" : "seen";
    await this.#patiently(connection, () => recordHolderExit(this.#sessions, this, gone, how));
  }

  /** Retries while the disk is full, because no later step would retry this. */
  #patiently<T>({ stopped }: AgentConnection, act: () => Promise<T>): Promise<T> {
    return this.#sessions.patiently(AbortSignal.any([stopped, this.#stop.signal]), act);
  }

  /** Handles a broken link: the holder is alive and adopted again, or proved dead and settled. */
  async #lost(holder: SessionHolder, connection: AgentConnection): Promise<void> {
    const { session } = holder;
    // A newer link of this host has replaced this one.
    if (this.#connections.get(session) !== connection) return;
    this.#connections.delete(session);
    if (connection.stopped.aborted) return;
    await this.#reconnects.wait(session);
    try {
      await this.#patiently(connection, () => this.adoptOrSettle(holder));
    } catch (error) {
      this.#options.onError(session, error);
      await this.#patiently(connection, () => this.#sayUnreachable(holder));
    }
  }

  async #sayUnreachable({ session, holderId }: SessionHolder): Promise<void> {
    const run = openRun(await this.#sessions.state(session));
    if (run === null) return;
    await this.#sessions.execute(session, "unreachable", { runId: run.id, holderId });
  }

  async #settleIdle({ session, holderId }: SessionHolder): Promise<boolean> {
    const state = await this.#sessions.state(session).catch((error: unknown) => {
      if (error instanceof HostError && error.code === "session_not_found") return null;
      throw error;
    });
    if (state === null || state.runtime.holderId !== holderId) {
      if (await this.#directories.kill(holderId)) this.#directories.discard(holderId);
      return false;
    }
    if (openRun(state) !== null || this.#connections.has(session)) return false;
    if (state.ended !== null) await this.#directories.kill(holderId);
    return this.adoptOrSettle({ session, holderId });
  }

  #end(session: SessionId): void {
    this.end(session).catch((error: unknown) => this.#options.onError(session, error));
  }

  async #tools(session: SessionId): Promise<KnownTools> {
    const { messages } = (await this.#sessions.open(session)).transcript;
    const answer = messages.findLast(({ role, runId }) => role === "assistant" && runId !== null);
    return KnownTools.of(answer?.contentParts ?? []);
  }
}

function unreachable(): HostError {
  return new HostError(
    "unreachable",
    "The agent may still be running, so another one must not start yet. Try again in a minute.",
  );
}
