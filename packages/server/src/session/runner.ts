/**
 * The runner makes the world follow the journal. It is driven by durable state alone: whatever a
 * client wants (a prompt, an answer, a cancel) reaches it as an event, and on start every durable
 * intent without its matching fact is acted on again, cancel first. It knows no followers.
 */

import {
  HostError,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { Agent } from "../agents/agent.ts";
import type { Blobs } from "../journal/blobs.ts";
import { inTime } from "./in-time.ts";
import { promptFor } from "./prompts.ts";
import { isFull, isLate, reasonOf } from "./refusals.ts";
import type { ReviveMode, Reviving } from "./runtimes.ts";
import type { Sessions } from "./sessions.ts";
import { LiveTurn, type TurnOptions } from "./turn.ts";

export interface RunnerOptions extends TurnOptions {
  /** Agents inside the host. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Agents in processes that outlive it. */
  readonly held: HeldAgents;
}

/** What the runner needs of agents in holders. */
export interface HeldAgents {
  knows(agentName: string): boolean;
  attend(session: SessionId, state: SessionState): Promise<void>;
  revive(session: SessionId, mode: ReviveMode, forRun?: string): Reviving;
  unwant(session: SessionId, runId: string): void;
  silence(session: SessionId): number | null;
  kill(session: SessionId): void;
}

export const noHeldAgents: HeldAgents = {
  knows: () => false,
  attend: async () => undefined,
  revive: () => ({ started: Promise.resolve(), done: Promise.resolve(null) }),
  unwant: () => undefined,
  silence: () => null,
  kill: () => undefined,
};

interface Slot {
  dirty: boolean;
  running: Promise<void> | null;
  turn: LiveTurn | null;
  /** Its agent is being brought up. */
  launching: boolean;
  /** Steady time before which a retry must not start. */
  notBefore: number;
  /** The launch that this was last set for. */
  delayed: string;
  /** Takes back the wake-up that is still to come. */
  alarm: (() => void) | null;
  /** How often in a row the journal refused. */
  refused: number;
}

/** Doublings of the wait between two tries: from a second to about a minute. */
const MOST_DOUBLINGS = 6;

/** Of this life, or of the session as a whole: trying again gets the same answer. */
const finalCodes = new Set(["fenced", "journal_closed", "session_damaged", "session_not_found"]);

export class Runner {
  readonly #options: RunnerOptions;
  readonly #sessions: Sessions;
  readonly #blobs: Blobs;
  readonly #slots = new Map<SessionId, Slot>();
  #leave: () => void = () => undefined;
  #stopping = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#blobs = options.blobs;
  }

  /** From now on durable changes are acted on; `sessions` are the ones with work left over. */
  start(sessions: Iterable<SessionId>): void {
    this.#leave = this.#sessions.onDurable((session, { state }) => {
      // A holder without an open run may still be at work on one that is over.
      const held = state.runtime.holderId !== null;
      if (held || openRun(state) !== null || this.#slots.has(session)) this.wake(session);
    });
    for (const session of sessions) this.wake(session);
  }

  /** Ends every turn; what that interrupts is recorded before this resolves, if they end in time. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#leave();
    await Promise.all([...this.#slots].map(([session, slot]) => this.#end(session, slot)));
  }

  async #end(session: SessionId, slot: Slot): Promise<void> {
    slot.alarm?.();
    const over = Promise.allSettled([slot.turn?.leave(), slot.running]);
    const { clock, policy } = this.#sessions;
    if ((await inTime(clock, policy.killLimit, over)) === null) {
      this.#options.onError(session, new Error("Its agent did not end; the host closes anyway."));
    }
  }

  get live(): number {
    return [...this.#slots.values()].filter((slot) => slot.turn !== null).length;
  }

  wake(session: SessionId): void {
    const slot = this.#slots.get(session) ?? {
      dirty: false,
      running: null,
      turn: null,
      launching: false,
      notBefore: 0,
      delayed: "",
      alarm: null,
      refused: 0,
    };
    this.#slots.set(session, slot);
    slot.dirty = true;
    slot.running ??= this.#work(session, slot);
  }

  /** For how long (steady) the session's agent has said nothing; null when none could speak. */
  silence(session: SessionId): number | null {
    const slot = this.#slots.get(session);
    return slot?.turn?.silence ?? this.#options.held.silence(session);
  }

  /** Nothing came back from a launch: end it, and let the rules decide whether to try again. */
  async giveUp(session: SessionId, message: string): Promise<void> {
    const turn = this.#slots.get(session)?.turn;
    const error = { code: "launch_failed", message };
    if (turn == null) {
      const run = openRun(await this.#sessions.state(session));
      if (run === null || this.#options.held.silence(session) === null) return;
      await this.#fail(session, { runId: run.id, attempt: run.attempt.n }, error);
      this.#options.held.kill(session);
      return;
    }
    const { clock, policy } = this.#sessions;
    const gone = turn.giveUp(error).then(() => true);
    if ((await inTime(clock, policy.killLimit, gone)) !== null) return;
    // The run's word must not wait for ever; another agent still does, in #reconcile.
    this.#options.onError(session, new Error("Its agent was killed and is still not gone."));
    await this.#fail(session, turn, error);
  }

  async #work(session: SessionId, slot: Slot): Promise<void> {
    while (slot.dirty && !this.#stopping) {
      slot.dirty = false;
      try {
        await this.#reconcile(session, slot);
        slot.refused = 0;
      } catch (error) {
        if (!isLate(error)) await this.#refused(session, slot, error);
      }
    }
    slot.running = null;
    this.#forget(session, slot);
  }

  /**
   * The journal still says what is to be done, so it is tried again; freeing space is enough. What
   * has no code of ours is a bug, and would stay one: the run ends with it.
   */
  async #refused(session: SessionId, slot: Slot, error: unknown): Promise<void> {
    const full = isFull(error);
    if (!full) this.#options.onError(session, error);
    if (error instanceof HostError && finalCodes.has(error.code)) return;
    if (!(error instanceof HostError) && (await this.#failOpen(session, error))) return;
    const doublings = full ? 0 : Math.min(slot.refused++, MOST_DOUBLINGS);
    this.#wakeIn(session, slot, this.#sessions.policy.fullRetry * 2 ** doublings);
  }

  async #failOpen(session: SessionId, error: unknown): Promise<boolean> {
    try {
      const run = openRun(await this.#sessions.state(session));
      if (run === null) return true;
      await this.#fail(session, { runId: run.id, attempt: run.attempt.n }, reasonOf(error));
      return true;
    } catch {
      return false;
    }
  }

  #wakeIn(session: SessionId, slot: Slot, ms: number): void {
    if (this.#stopping) return;
    slot.alarm?.();
    slot.alarm = this.#sessions.clock.after(ms, () => {
      slot.alarm = null;
      this.wake(session);
    });
  }

  #forget(session: SessionId, slot: Slot): void {
    const busy =
      slot.turn !== null || slot.running !== null || slot.alarm !== null || slot.launching;
    if (busy || slot.notBefore > this.#sessions.clock.steady()) return;
    if (this.#slots.get(session) === slot) this.#slots.delete(session);
  }

  async #reconcile(session: SessionId, slot: Slot): Promise<void> {
    const state = await this.#sessions.state(session);
    const run = openRun(state);
    const turn = slot.turn;
    if (turn !== null) {
      if (run?.id === turn.runId && run.attempt.n === turn.attempt) return this.#attend(turn, run);
      // Two agents on one workspace is the worst failure: the old one is proved gone first.
      await turn.kill().then(
        () => {
          slot.dirty = true;
        },
        (error: unknown) => {
          this.#options.onError(session, error);
          this.#wakeIn(session, slot, this.#sessions.policy.cancelGrace);
        },
      );
      return;
    }
    // What a holder runs is the holder's: nothing here may launch beside it, or call it dead.
    if (state.runtime.holderId !== null && !isLost(state, run) && !this.#isUnsent(state, run)) {
      if (run !== null && this.#isEarly(session, slot, run)) return;
      return this.#options.held.attend(session, state);
    }
    if (run === null || run.unreachable) return;
    if (run.paused !== null && run.cancel === null) return;
    if (run.cancel !== null) {
      await this.#sessions.execute(session, "settleCancel", { runId: run.id });
      this.#options.held.unwant(session, run.id);
    } else if (run.waits.length > 0) {
      return;
    } else if (run.attempt.accepted || run.epoch !== this.#sessions.epoch) {
      // Its process is gone. Where the decision it waited for has come since, the rule lets it go on.
      const reason = run.epoch === this.#sessions.epoch ? "process_exit" : "process_restart";
      const { id: runId, attempt } = run;
      await this.#sessions.execute(session, "interrupt", { runId, attempt: attempt.n, reason });
    } else if (this.#options.held.knows(state.agentName)) {
      this.#bringUp(session, slot, run);
    } else {
      await this.#launch(session, slot, state, run);
    }
  }

  /** Of a launch of this life that is not ready: no agent can have taken the prompt, so a cancel is final. */
  #isUnsent({ runtime }: SessionState, run: RunState | null): boolean {
    if (run === null || run.cancel === null || run.attempt.accepted) return false;
    return runtime.state === "starting" && runtime.epoch === this.#sessions.epoch;
  }

  /** In the background: a cancel must not wait for an agent that takes long to come. */
  #bringUp(session: SessionId, slot: Slot, run: RunState): void {
    if (slot.launching || this.#waits(session, slot)) return;
    const launch = { runId: run.id, attempt: run.attempt.n };
    slot.launching = true;
    this.#options.held
      .revive(session, "revive", run.id)
      .done.then(() => this.#cameUp(session))
      .then(
        () => undefined,
        async (error: unknown) => {
          // Someone stopped it on purpose: that is no failure, and what is wanted then comes next.
          if (error instanceof HostError && error.code === "cancel_pending") return;
          await this.#fail(session, launch, reasonOf(error));
          await this.#delay(session, slot, run.id);
        },
      )
      .catch((error: unknown) => {
        if (!isLate(error)) this.#options.onError(session, error);
      })
      .finally(() => {
        slot.launching = false;
        this.wake(session);
      });
  }

  /** What was brought up and is not there would be brought up for ever. */
  async #cameUp(session: SessionId): Promise<void> {
    const { runtime } = await this.#sessions.state(session);
    if (runtime.holderId !== null) return;
    throw new HostError("launch_failed", "The agent came up and was gone at once.");
  }

  /** True while a retry must not start yet; its wake-up is set. */
  #waits(session: SessionId, slot: Slot): boolean {
    const wait = slot.notBefore - this.#sessions.clock.steady();
    if (wait > 0) this.#wakeIn(session, slot, wait);
    return wait > 0;
  }

  /** A retry by a living agent waits its time, too. */
  #isEarly(session: SessionId, slot: Slot, { id, attempt, retries }: RunState): boolean {
    if (attempt.accepted || retries === 0) return false;
    const launch = `${id}/${attempt.n}`;
    if (slot.delayed !== launch) {
      slot.delayed = launch;
      const delay = this.#sessions.policy.retryDelay * 2 ** (retries - 1);
      slot.notBefore = Math.max(slot.notBefore, this.#sessions.clock.steady() + delay);
    }
    return this.#waits(session, slot);
  }

  async #delay(session: SessionId, slot: Slot, runId: string): Promise<void> {
    const run = openRun(await this.#sessions.state(session));
    if (run?.id !== runId || run.retries === 0) return;
    const delay = this.#sessions.policy.retryDelay * 2 ** (run.retries - 1);
    slot.notBefore = this.#sessions.clock.steady() + delay;
  }

  #attend(turn: LiveTurn, run: RunState): void {
    if (run.cancel !== null) turn.cancel();
    for (const approval of run.approvals) {
      if (approval.decision !== null && !approval.delivered && approval.attempt === turn.attempt) {
        turn.answer(approval);
      }
    }
    for (const result of run.results) turn.resume(result);
  }

  async #launch(session: SessionId, slot: Slot, state: SessionState, run: RunState) {
    if (this.#waits(session, slot)) return;
    const launch = { runId: run.id, attempt: run.attempt.n };
    const agent = this.#options.agents.get(state.agentName);
    if (agent === undefined) {
      const message = `No agent named "${state.agentName}" is installed here.`;
      await this.#fail(session, launch, { code: "agent_missing", message });
      return;
    }
    try {
      const prompt = await promptFor(this.#sessions, this.#blobs, session, state);
      const { seq } = await this.#sessions.state(session);
      if (this.#stopping) return;
      if (seq !== state.seq) {
        // Reading the prompt took a while, and a cancel or an end may have come first: it wins.
        slot.dirty = true;
        return;
      }
      const playing = agent.prompt(prompt);
      const turn = new LiveTurn(session, launch, playing, this.#options, run.results);
      slot.turn = turn;
      this.#until(session, slot, turn).catch((error) => this.#options.onError(session, error));
    } catch (error) {
      const reason = reasonOf(error);
      if (reason.code === "internal") this.#options.onError(session, error);
      await this.#fail(session, launch, reason);
    }
  }

  async #fail(
    session: SessionId,
    { runId, attempt }: { runId: string; attempt: number },
    error: { code: string; message: string },
  ): Promise<void> {
    await this.#sessions.execute(session, "failAttempt", { runId, attempt, error });
  }

  async #until(session: SessionId, slot: Slot, turn: LiveTurn): Promise<void> {
    const ended = await turn.over.then(
      () => true,
      (error: unknown) => {
        this.#options.onError(session, error);
        return false;
      },
    );
    try {
      // A turn whose end could not be written is settled by the next life, not launched again here.
      if (!ended || this.#stopping) return;
      await this.#delay(session, slot, turn.runId);
      slot.dirty = true;
    } finally {
      // Only now: before the delay of a retry is known, nothing may be launched.
      slot.turn = null;
      if (slot.dirty && !this.#stopping) this.wake(session);
      this.#forget(session, slot);
    }
  }
}

/** The holder that took the prompt is gone, and another one is there: nobody works on it any more. */
function isLost({ runtime }: SessionState, run: RunState | null): boolean {
  return run?.attempt.accepted === true && run.attempt.holderId !== runtime.holderId;
}
