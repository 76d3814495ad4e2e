/**
 * The runner starts and stops agents according to the journal. It acts on durable state alone: a
 * client's prompt, answer or cancel reaches it as an event. At start it acts again on every durable
 * intent without its result, a cancel first. It does not know followers.
 */

import {
  HostError,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { Prompt } from "../agents/agent.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import { inTime } from "../base/in-time.ts";
import { isFull, isLate, reasonOf } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";
import { LiveTurn, type TurnOptions } from "./turn.ts";

export interface RunnerOptions extends TurnOptions {
  /** Agents inside the host process. */
  readonly agents: Pick<KnownAgents, "inProcess">;
  /** The prompt of the open run's current launch. */
  readonly promptFor: (session: SessionId, state: SessionState) => Promise<Prompt>;
  /** Agents in holders, which outlive the host process. */
  readonly runtimes: SessionRuntimes;
}

/** The runtimes of sessions, as the runner uses them. */
export interface SessionRuntimes {
  knows(agentName: string): boolean;
  attend(session: SessionId, state: SessionState): Promise<void>;
  /** Brings the agent up; a cancel of `forRun` stops a launch that no other caller needs. */
  revive(session: SessionId, mode: "revive", forRun: string): { readonly done: Promise<unknown> };
  unwant(session: SessionId, runId: string): void;
  silence(session: SessionId): number | null;
  kill(session: SessionId): void;
}

export const noRuntimes: SessionRuntimes = {
  knows: () => false,
  attend: async () => undefined,
  revive: () => ({ done: Promise.resolve() }),
  unwant: () => undefined,
  silence: () => null,
  kill: () => undefined,
};

interface Slot {
  dirty: boolean;
  running: Promise<void> | null;
  turn: LiveTurn | null;
  /** True while the agent is being started. */
  launching: boolean;
  /** Steady time before which a retry must not start. */
  notBefore: number;
  /** The launch for which `notBefore` was last set. */
  delayed: string;
  /** Cancels the pending wake-up. */
  alarm: (() => void) | null;
  /** Consecutive refusals by the journal. */
  refused: number;
}

/** Doublings of the delay between two tries: from a second to about a minute. */
const MOST_DOUBLINGS = 6;

/** Errors of this boot or of the whole session: a retry gets the same answer. */
const finalCodes = new Set(["fenced", "journal_closed", "session_damaged", "session_not_found"]);

export class Runner {
  readonly #options: RunnerOptions;
  readonly #sessions: Sessions;
  readonly #slots = new Map<SessionId, Slot>();
  #leave: () => void = () => undefined;
  #stopping = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
  }

  /** Starts acting on durable changes; `sessions` are those with unfinished work. */
  start(sessions: Iterable<SessionId>): void {
    this.#leave = this.#sessions.onDurable((session, { state }) => {
      // A holder without an open run may still work on a run that is over.
      const isHeld = state.runtime.holderId !== null;
      if (isHeld || openRun(state) !== null || this.#slots.has(session)) this.wake(session);
    });
    for (const session of sessions) this.wake(session);
  }

  /** Ends every turn. Interruptions are recorded before this resolves, if the turns end in time. */
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

  /**
   * Milliseconds of steady time since the agent's last output; null without an agent that could
   * produce any.
   */
  silence(session: SessionId): number | null {
    const slot = this.#slots.get(session);
    return slot?.turn?.silence ?? this.#options.runtimes.silence(session);
  }

  /** Ends a launch that produced no output; the rules decide whether to retry. */
  async giveUp(session: SessionId, message: string): Promise<void> {
    const turn = this.#slots.get(session)?.turn;
    const error = { code: "launch_failed", message };
    if (turn == null) {
      const run = openRun(await this.#sessions.state(session));
      if (run === null || this.#options.runtimes.silence(session) === null) return;
      await this.#fail(session, { runId: run.id, attempt: run.attempt.n }, error);
      this.#options.runtimes.kill(session);
      return;
    }
    const { clock, policy } = this.#sessions;
    const gone = turn.giveUp(error).then(() => true);
    if ((await inTime(clock, policy.killLimit, gone)) !== null) return;
    // The run's outcome must not wait for ever. The next launch still waits, in #reconcile.
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
   * Handles an error of `#reconcile`. The journal still holds the intent, so it is retried. An
   * error without a code is a bug that would repeat, so the run fails with it.
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
      // Two agents on one workspace is the worst failure, so the old one is proved dead first.
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
    // A holder owns its agent: the runner must neither launch beside it nor call it dead.
    if (state.runtime.holderId !== null && !isLost(state, run) && !this.#isUnsent(state, run)) {
      if (run !== null && this.#isEarly(session, slot, run)) return;
      return this.#options.runtimes.attend(session, state);
    }
    if (run === null || run.unreachable) return;
    if (run.paused !== null && run.cancel === null) return;
    if (run.cancel !== null) {
      await this.#sessions.execute(session, "settleCancel", { runId: run.id });
      this.#options.runtimes.unwant(session, run.id);
    } else if (run.waits.length > 0) {
      return;
    } else if (run.attempt.accepted || run.epoch !== this.#sessions.epoch) {
      // The run's process is gone. If a decision that it waited for has come, the rule starts a new
      // attempt.
      const reason = run.epoch === this.#sessions.epoch ? "process_exit" : "process_restart";
      const { id: runId, attempt } = run;
      await this.#sessions.execute(session, "processDied", { runId, attempt: attempt.n, reason });
    } else if (this.#options.runtimes.knows(state.agentName)) {
      this.#bringUp(session, slot, run);
    } else {
      await this.#launch(session, slot, state, run);
    }
  }

  /**
   * True for a cancelled launch of this boot whose agent is not ready: the prompt was not
   * delivered, so the cancel is final.
   */
  #isUnsent({ runtime }: SessionState, run: RunState | null): boolean {
    if (run === null || run.cancel === null || run.attempt.accepted) return false;
    return runtime.state === "starting" && runtime.epoch === this.#sessions.epoch;
  }

  /** Starts the agent in the background, so that a cancel need not wait for a slow start. */
  #bringUp(session: SessionId, slot: Slot, run: RunState): void {
    if (slot.launching || this.#waits(session, slot)) return;
    const launch = { runId: run.id, attempt: run.attempt.n };
    slot.launching = true;
    this.#options.runtimes
      .revive(session, "revive", run.id)
      .done.then(() => this.#cameUp(session))
      .then(
        () => undefined,
        async (error: unknown) => {
          // The start was cancelled on purpose, which is no failure; the wake-up below handles the
          // next intent.
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

  /** Fails a launch whose agent is already gone; otherwise it would be started again for ever. */
  async #cameUp(session: SessionId): Promise<void> {
    const { runtime } = await this.#sessions.state(session);
    if (runtime.holderId !== null) return;
    throw new HostError("launch_failed", "The agent came up and was gone at once.");
  }

  /** True while a retry must wait; sets its wake-up. */
  #waits(session: SessionId, slot: Slot): boolean {
    const wait = slot.notBefore - this.#sessions.clock.steady();
    if (wait > 0) this.#wakeIn(session, slot, wait);
    return wait > 0;
  }

  /** True while a retry in a live agent must wait for its delay. */
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
    const agent = this.#options.agents.inProcess(state.agentName);
    if (agent === undefined) {
      const message = `No agent named "${state.agentName}" is installed here.`;
      await this.#fail(session, launch, { code: "agent_missing", message });
      return;
    }
    try {
      const prompt = await this.#options.promptFor(session, state);
      const { seq } = await this.#sessions.state(session);
      if (this.#stopping) return;
      if (seq !== state.seq) {
        // A cancel or an end may have come while the prompt was read; it wins.
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
      // A turn whose end could not be written is settled by the next boot, not launched again here.
      if (!ended || this.#stopping) return;
      await this.#delay(session, slot, turn.runId);
      slot.dirty = true;
    } finally {
      // Cleared only after the retry delay is set, so that no launch starts before it.
      slot.turn = null;
      if (slot.dirty && !this.#stopping) this.wake(session);
      this.#forget(session, slot);
    }
  }
}

/**
 * True when the holder that took the prompt was replaced by another, so that no process works on
 * the run.
 */
function isLost({ runtime }: SessionState, run: RunState | null): boolean {
  return run?.attempt.accepted === true && run.attempt.holderId !== runtime.holderId;
}
