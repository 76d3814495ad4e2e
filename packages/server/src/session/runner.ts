/**
 * The runner starts and stops agents according to the journal. It acts on durable state alone: a
 * client's prompt, answer or cancel reaches it as an event. At start it acts again on every durable
 * intent without its result, a cancel first. It does not know followers.
 */

import {
  type Event,
  HostError,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";
import { inTime } from "../base/in-time.ts";
import type { Policy } from "../base/policy.ts";
import { isFull, isLate, reasonOf } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";

interface RunnerOptions {
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly runtimes: SessionRuntimes;
  readonly onError: (session: SessionId, error: unknown) => void;
}

interface SessionRuntimes {
  /** True while a process of the session may live. */
  isUp(session: SessionId, state: SessionState): boolean;
  /** Sends the prompt, answers or cancel that the state calls for. */
  attend(session: SessionId, state: SessionState): Promise<void>;
  /** Brings the agent up; a cancel of `forRun` stops a launch that no other caller needs. */
  revive(session: SessionId, mode: "revive", forRun: string): { readonly done: Promise<unknown> };
  cancelLaunch(session: SessionId, runId: string): void;
  silence(session: SessionId): number | null;
  kill(session: SessionId): void;
}

interface Slot {
  dirty: boolean;
  running: Promise<void> | null;
  launching: boolean;
  /** Steady time before which a retry must not start. */
  notBefore: number;
  /** The retry to which `notBefore` applies. */
  delayed: string;
  alarm: (() => void) | null;
  refused: number;
}

/** Doublings of the delay between two tries: from a second to about a minute. */
const MOST_DOUBLINGS = 6;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #sessions: Sessions;
  readonly #runtimes: SessionRuntimes;
  readonly #slots = new Map<SessionId, Slot>();
  #leave: () => void = () => undefined;
  #stopping = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
    this.#runtimes = options.runtimes;
  }

  /** Starts acting on durable changes; `sessions` are those with unfinished work. */
  start(sessions: Iterable<SessionId>): void {
    this.#leave = this.#sessions.onDurable((session, { events, state }) => {
      if (events.some(isRetry)) this.#delay(session, state);
      // An agent without an open run may still work on a run that is over.
      const isUp = this.#runtimes.isUp(session, state);
      if (isUp || openRun(state) !== null || this.#slots.has(session)) this.wake(session);
    });
    for (const session of sessions) this.wake(session);
  }

  /** Starts nothing more; resolves when the work in progress is over, or its time. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#leave();
    const { clock, policy } = this.#options;
    const slots = [...this.#slots.values()];
    for (const { alarm } of slots) alarm?.();
    await inTime(clock, policy.killLimit, Promise.allSettled(slots.map(({ running }) => running)));
  }

  #slot(session: SessionId): Slot {
    const slot = this.#slots.get(session) ?? {
      dirty: false,
      running: null,
      launching: false,
      notBefore: 0,
      delayed: "",
      alarm: null,
      refused: 0,
    };
    this.#slots.set(session, slot);
    return slot;
  }

  wake(session: SessionId): void {
    const slot = this.#slot(session);
    slot.dirty = true;
    slot.running ??= this.#work(session, slot);
  }

  /** Steady ms since the agent's last output; null without an agent that could speak. */
  silence(session: SessionId): number | null {
    return this.#runtimes.silence(session);
  }

  /** Ends a launch that produced no output; the rules decide whether to retry. */
  async giveUp(session: SessionId, message: string): Promise<void> {
    const run = openRun(await this.#sessions.state(session));
    if (run === null || this.#runtimes.silence(session) === null) return;
    const error = { code: "launch_failed", message };
    await this.#fail(session, { runId: run.id, attempt: run.attempt.n }, error);
    this.#runtimes.kill(session);
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
   * Handles an error of `#reconcile`. The journal still holds the intent, so it is retried unless
   * the boot or the session has ended. An error without a code is a bug that would repeat, so the
   * run fails with it.
   */
  async #refused(session: SessionId, slot: Slot, error: unknown): Promise<void> {
    const full = isFull(error);
    if (!full) this.#options.onError(session, error);
    if (error instanceof HostError && error.spec.ends !== undefined) return;
    if (!(error instanceof HostError) && (await this.#failOpen(session, error))) return;
    const doublings = full ? 0 : Math.min(slot.refused++, MOST_DOUBLINGS);
    this.#wakeIn(session, slot, this.#options.policy.fullRetry * 2 ** doublings);
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
    slot.alarm = this.#options.clock.after(ms, () => {
      slot.alarm = null;
      this.wake(session);
    });
  }

  #forget(session: SessionId, slot: Slot): void {
    const busy = slot.running !== null || slot.alarm !== null || slot.launching;
    if (busy || slot.notBefore > this.#options.clock.steady()) return;
    if (this.#slots.get(session) === slot) this.#slots.delete(session);
  }

  async #reconcile(session: SessionId, slot: Slot): Promise<void> {
    const state = await this.#sessions.state(session);
    const run = openRun(state);
    // A process that lives owns its run: the runner must neither launch beside it nor call it dead.
    const isUp = this.#runtimes.isUp(session, state);
    if (isUp && !isLost(state, run) && !this.#isUnsent(state, run)) {
      if (run !== null && this.#isEarly(session, slot, run)) return;
      return this.#runtimes.attend(session, state);
    }
    if (run === null || run.unreachable) return;
    if (run.paused !== null && run.cancel === null) return;
    if (run.cancel !== null) {
      await this.#sessions.execute(session, "settleCancel", { runId: run.id });
      this.#runtimes.cancelLaunch(session, run.id);
    } else if (run.waits.length > 0) {
      return;
    } else if (run.attempt.accepted || run.epoch !== this.#sessions.epoch) {
      // The run's process is gone. If a decision that it waited for has come, the rule starts a new
      // attempt.
      const reason = run.epoch === this.#sessions.epoch ? "process_exit" : "process_restart";
      const { id: runId, attempt } = run;
      await this.#sessions.execute(session, "processDied", { runId, attempt: attempt.n, reason });
    } else if (!this.#isEarly(session, slot, run)) {
      this.#revive(session, slot, run);
    }
  }

  /** True for a cancelled launch of this boot before its prompt: the cancel is final. */
  #isUnsent({ runtime }: SessionState, run: RunState | null): boolean {
    if (run === null || run.cancel === null || run.attempt.accepted) return false;
    return runtime.state === "starting" && runtime.epoch === this.#sessions.epoch;
  }

  /** Starts the agent in the background, so that a cancel need not wait for a slow start. */
  #revive(session: SessionId, slot: Slot, run: RunState): void {
    if (slot.launching) return;
    const launch = { runId: run.id, attempt: run.attempt.n };
    slot.launching = true;
    this.#runtimes
      .revive(session, "revive", run.id)
      .done.then(() => this.#mustBeUp(session))
      .then(
        () => undefined,
        async (error: unknown) => {
          // The start was cancelled on purpose, which is no failure; the wake-up below handles the
          // next intent.
          if (error instanceof HostError && error.code === "cancel_pending") return;
          await this.#fail(session, launch, reasonOf(error));
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
  async #mustBeUp(session: SessionId): Promise<void> {
    if (this.#runtimes.isUp(session, await this.#sessions.state(session))) return;
    throw new HostError("launch_failed", "The agent started and stopped at once.");
  }

  /** Delays a retry that starts in this boot; a restart of the host has taken its time already. */
  #delay(session: SessionId, state: SessionState): void {
    const run = openRun(state);
    if (run === null) return;
    const { clock, policy } = this.#options;
    const slot = this.#slot(session);
    slot.delayed = launchKey(run);
    slot.notBefore = clock.steady() + policy.retryDelay * 2 ** (run.retries - 1);
  }

  /** True while a retry must wait for its delay; sets its wake-up. */
  #isEarly(session: SessionId, slot: Slot, run: RunState): boolean {
    if (run.attempt.accepted || run.cancel !== null || slot.delayed !== launchKey(run))
      return false;
    const wait = slot.notBefore - this.#options.clock.steady();
    if (wait > 0) this.#wakeIn(session, slot, wait);
    return wait > 0;
  }

  async #fail(
    session: SessionId,
    { runId, attempt }: { runId: string; attempt: number },
    error: { code: string; message: string },
  ): Promise<void> {
    await this.#sessions.execute(session, "failAttempt", { runId, attempt, error });
  }
}

const isRetry = (event: Event) => event.kind === "attempt.started" && event.cause === "transient";

const launchKey = ({ id, attempt }: RunState) => `${id}/${attempt.n}`;

/** True when another holder replaced the one that took the prompt: no process works. */
function isLost({ runtime }: SessionState, run: RunState | null): boolean {
  return run?.attempt.accepted === true && run.attempt.holderId !== runtime.holderId;
}
