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
import type { Agent, Prompt } from "../agents/agent.ts";
import type { Blobs } from "../journal/blobs.ts";
import { isLate } from "./recorder.ts";
import type { Sessions } from "./sessions.ts";
import { LiveTurn, type TurnOptions } from "./turn.ts";

export interface RunnerOptions extends TurnOptions {
  readonly agents: ReadonlyMap<string, Agent>;
  /** A failure that no rule has a word for; the host decides what to do with it. */
  readonly onError: (session: SessionId, error: unknown) => void;
}

interface Slot {
  dirty: boolean;
  running: Promise<void> | null;
  turn: LiveTurn | null;
  /** Steady time before which a retry must not start. */
  notBefore: number;
}

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
      if (openRun(state) !== null || this.#slots.has(session)) this.wake(session);
    });
    for (const session of sessions) this.wake(session);
  }

  /** Ends every turn; what that interrupts is recorded before this resolves. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#leave();
    const turns = [...this.#slots.values()].map((slot) => slot.turn?.kill());
    await Promise.allSettled(turns);
    await Promise.allSettled([...this.#slots.values()].map((slot) => slot.running));
  }

  get live(): number {
    return [...this.#slots.values()].filter((slot) => slot.turn !== null).length;
  }

  wake(session: SessionId): void {
    const slot = this.#slots.get(session) ?? {
      dirty: false,
      running: null,
      turn: null,
      notBefore: 0,
    };
    this.#slots.set(session, slot);
    slot.dirty = true;
    slot.running ??= this.#work(session, slot);
  }

  /** For how long (steady) the session's agent has said nothing; null when none is running. */
  silence(session: SessionId): number | null {
    const turn = this.#slots.get(session)?.turn;
    return turn == null ? null : this.#sessions.clock.steady() - turn.heardAt;
  }

  /** Nothing came back from a launch: end it, and let the rules decide whether to try again. */
  async giveUp(session: SessionId, message: string): Promise<void> {
    const turn = this.#slots.get(session)?.turn;
    const run = openRun(await this.#sessions.state(session));
    if (run === null) return;
    const error = { code: "launch_failed", message };
    const { id: runId } = run;
    await this.#sessions.execute(session, "failAttempt", { runId, attempt: run.attempt.n, error });
    await turn?.kill();
  }

  async #work(session: SessionId, slot: Slot): Promise<void> {
    while (slot.dirty && !this.#stopping) {
      slot.dirty = false;
      try {
        await this.#reconcile(session, slot);
      } catch (error) {
        if (!isLate(error)) this.#options.onError(session, error);
      }
    }
    slot.running = null;
    if (slot.turn === null && slot.notBefore <= this.#sessions.clock.steady()) {
      this.#slots.delete(session);
    }
  }

  async #reconcile(session: SessionId, slot: Slot): Promise<void> {
    const state = await this.#sessions.state(session);
    const run = openRun(state);
    const turn = slot.turn;
    if (turn !== null) {
      if (run?.id === turn.runId && run.attempt.n === turn.attempt) return this.#attend(turn, run);
      // Two agents on one workspace is the worst failure: the old one is proved gone first.
      await turn.kill().catch((error: unknown) => this.#options.onError(session, error));
      slot.dirty = true;
      return;
    }
    if (run === null || run.unreachable || run.paused !== null) return;
    if (run.cancel !== null) {
      await this.#sessions.execute(session, "settleCancel", { runId: run.id });
    } else if (run.waits.length > 0) {
      return;
    } else if (run.attempt.accepted || run.epoch !== this.#sessions.epoch) {
      // Its process is gone. Where the decision it waited for has come since, the rule lets it go on.
      const reason = run.epoch === this.#sessions.epoch ? "process_exit" : "process_restart";
      await this.#sessions.execute(session, "interrupt", { runId: run.id, reason });
    } else {
      await this.#launch(session, slot, state, run);
    }
  }

  async #attend(turn: LiveTurn, run: RunState): Promise<void> {
    if (run.cancel !== null) turn.cancel();
    for (const approval of run.approvals) {
      if (approval.decision !== null && !approval.delivered && approval.attempt === turn.attempt) {
        await turn.answer(approval);
      }
    }
    for (const result of run.results) await turn.resume(result);
  }

  async #launch(session: SessionId, slot: Slot, state: SessionState, run: RunState) {
    const { clock } = this.#sessions;
    const wait = slot.notBefore - clock.steady();
    if (wait > 0) {
      clock.after(wait, () => this.wake(session));
      return;
    }
    const agent = this.#options.agents.get(state.agentName);
    if (agent === undefined) {
      const message = `No agent named "${state.agentName}" is installed here.`;
      const error = { code: "agent_missing", message };
      const { id: runId, attempt } = run;
      await this.#sessions.execute(session, "failAttempt", { runId, attempt: attempt.n, error });
      return;
    }
    const prompt = await this.#prompt(session, state, run);
    if (this.#stopping) return;
    const turn = new LiveTurn(
      session,
      { runId: run.id, attempt: run.attempt.n },
      agent.prompt(prompt),
      this.#options,
      run.results,
    );
    slot.turn = turn;
    void this.#until(session, slot, turn);
  }

  async #until(session: SessionId, slot: Slot, turn: LiveTurn): Promise<void> {
    const ended = await turn.over.then(
      () => true,
      (error: unknown) => {
        this.#options.onError(session, error);
        return false;
      },
    );
    slot.turn = null;
    // A turn whose end could not be written is settled by the next life, not launched again by this one.
    if (!ended) return;
    const run = this.#stopping ? null : openRun(await this.#sessions.state(session));
    if (run?.id === turn.runId && run.retries > 0) {
      const delay = this.#sessions.policy.retryDelay * 2 ** (run.retries - 1);
      slot.notBefore = this.#sessions.clock.steady() + delay;
    }
    if (!this.#stopping) this.wake(session);
  }

  async #prompt(session: SessionId, state: SessionState, run: RunState): Promise<Prompt> {
    const { messages } = await this.#sessions.transcript(session, state.seq);
    const part = messages.find((message) => message.id === run.messageId)?.contentParts[0];
    if (part?.type !== "text") {
      throw new HostError("message_not_found", `Message ${run.messageId} of ${run.id} is gone.`);
    }
    const content =
      part.blob === undefined
        ? part.text
        : Buffer.from(await this.#blobs.get(session, part.blob.hash)).toString();
    const attempt = run.attempt.n;
    const carried = run.approvals.flatMap(({ toolCallId, toolName, decision, delivered }) =>
      decision === null || delivered ? [] : [{ toolCallId, toolName, decision }],
    );
    return {
      sessionId: session,
      runId: run.id,
      attempt,
      key: `prompt/${run.id}/${attempt}`,
      way: run.from === "error" || attempt > 1 ? "continue" : "prompt",
      content,
      carried,
      results: run.results.map(({ result }) => result),
    };
  }
}
