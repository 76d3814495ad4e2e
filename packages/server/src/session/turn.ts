/** One launch of an agent, played into the journal until it ends, fails, or its process is gone. */

import type {
  ApprovalState,
  CommandInput,
  CommandName,
  SessionId,
  WaitResult,
} from "@holdfast/protocol";
import type { AgentSays, Turn } from "../agents/agent.ts";
import type { Blobs } from "../journal/blobs.ts";
import type { Executed } from "./owner.ts";
import { Recorder } from "./recorder.ts";
import { isFull, isLate, patiently, reasonOf } from "./refusals.ts";
import { clearToken, newSecret } from "./secrets.ts";
import type { Sessions } from "./sessions.ts";

export interface TurnOptions {
  readonly sessions: Sessions;
  readonly blobs: Blobs;
  readonly random: (bytes: number) => Uint8Array;
  /** A fresh resume token, in clear, for whoever created the run. Never journalled. */
  readonly onToken: (session: SessionId, runId: string, token: string) => void;
  /** A failure that no rule has a word for; the host decides what to do with it. */
  readonly onError: (session: SessionId, error: unknown) => void;
}

export class LiveTurn {
  readonly runId: string;
  readonly attempt: number;
  /** Resolves when the stream is over and its end is durable. */
  readonly over: Promise<void>;
  readonly #session: SessionId;
  readonly #turn: Turn;
  readonly #told: readonly WaitResult[];
  readonly #options: TurnOptions;
  readonly #recorder: Recorder;
  readonly #stop = new AbortController();
  readonly #answered = new Set<string>();
  /** Steady time of the launch, then of the last thing it said. */
  #heardAt: number;
  #recording = false;
  #accepted = false;
  #cancelled = false;
  #leaving = false;
  #givenUp: { code: string; message: string } | null = null;

  constructor(
    session: SessionId,
    { runId, attempt }: { runId: string; attempt: number },
    turn: Turn,
    options: TurnOptions,
    /** Results the prompt itself carried. */
    told: readonly WaitResult[],
  ) {
    this.runId = runId;
    this.attempt = attempt;
    this.#session = session;
    this.#turn = turn;
    this.#told = told;
    for (const { waitId } of told) this.#answered.add(waitId);
    this.#options = options;
    const { sessions, blobs } = options;
    this.#heardAt = sessions.clock.steady();
    this.#recorder = new Recorder({ session, runId, attempt }, sessions, blobs, this.#stop.signal);
    this.over = this.#play();
  }

  get dropped(): number {
    return this.#recorder.dropped;
  }

  /**
   * For how long (steady) it has said nothing. Null while it is held back, because the disk is full
   * and not because it is silent, and once it was killed.
   */
  get silence(): number | null {
    if (this.#recording || this.#stop.signal.aborted) return null;
    return this.#options.sessions.clock.steady() - this.#heardAt;
  }

  /** The decision is durable; the agent hears it once. */
  answer({ id, toolCallId, decision }: ApprovalState): void {
    if (decision === null || this.#answered.has(id)) return;
    this.#answered.add(id);
    this.#turn.answer(toolCallId, decision === "deny" ? "deny" : "allow");
    this.#note("deliver", { runId: this.runId, approvalId: id });
  }

  /** The result is durable; the agent hears it once. */
  resume({ waitId, result }: WaitResult): void {
    if (this.#answered.has(waitId)) return;
    this.#answered.add(waitId);
    this.#turn.resume(result);
    this.#note("deliverResult", { runId: this.runId, waitId });
  }

  /** Asks, waits a little, then kills; the outcome follows when the stream is over. */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#turn.cancel();
    const { clock, policy } = this.#options.sessions;
    const take = clock.after(policy.cancelGrace, () => {
      // Whoever waits for the turn's end gets its failure.
      this.kill().catch(() => undefined);
    });
    this.over.then(take, take);
  }

  /** Resolves when nothing of it can act any more and its end is durable. */
  async kill(): Promise<void> {
    this.#stop.abort();
    await this.#turn.kill();
    await this.over;
  }

  /** As kill; the attempt fails with this reason, unless the agent's last word came first. */
  giveUp(reason: { code: string; message: string }): Promise<void> {
    this.#givenUp = reason;
    return this.kill();
  }

  /** As kill, when the host closes: a prompt that no agent took stays open for the next life. */
  leave(): Promise<void> {
    this.#leaving = true;
    return this.kill();
  }

  async #play(): Promise<void> {
    try {
      for await (const said of this.#turn.says) {
        this.#recording = true;
        const last = await this.#heard(said);
        this.#recording = false;
        this.#heardAt = this.#options.sessions.clock.steady();
        if (last) return;
      }
      await this.#recorder.flush();
      await this.#vanished();
    } catch (error) {
      await this.#turn.kill();
      // A full disk at the close is not the run's failure: the next life settles it.
      if (this.#leaving && isFull(error)) return;
      if (!isLate(error)) await this.#unrecordable(error);
    }
  }

  /** What the agent did cannot be journalled: the run fails with the reason, and is not tried again. */
  async #unrecordable(error: unknown): Promise<void> {
    const { runId, attempt } = this;
    const reason = reasonOf(error);
    if (reason.code === "internal") this.#options.onError(this.#session, error);
    await this.#execute("failAttempt", { runId, attempt, error: reason }).catch(() => {
      throw error;
    });
  }

  /** The stream stopped without a last word: the process is gone. */
  async #vanished(): Promise<void> {
    const { runId, attempt } = this;
    if (this.#leaving && !this.#accepted) return;
    if (this.#givenUp !== null) {
      await this.#execute("failAttempt", { runId, attempt, error: this.#givenUp });
    } else if (this.#accepted || this.#stop.signal.aborted) {
      await this.#execute("interrupt", { runId, attempt, reason: "process_exit" });
    } else {
      const error = {
        code: "launch_failed",
        message: "The agent ended before it took the prompt.",
      };
      await this.#execute("failAttempt", { runId, attempt, error });
    }
  }

  /** True when this was the last word. */
  async #heard(said: AgentSays): Promise<boolean> {
    const { runId, attempt } = this;
    switch (said.type) {
      case "accepted":
        await this.#execute("accept", { runId, attempt, holderId: null });
        this.#accepted = true;
        for (const { waitId } of this.#told)
          await this.#execute("deliverResult", { runId, waitId });
        return false;
      case "ready":
        await this.#execute("agentReady", { agentSessionId: said.agentSessionId, holderId: null });
        return false;
      case "permission": {
        await this.#recorder.flush();
        const { toolCallId, toolName, input } = said;
        await this.#wait((token) =>
          this.#execute("requestApproval", {
            ...{ runId, attempt, toolCallId, toolName, input, token },
            askedBy: null,
          }),
        );
        return false;
      }
      case "waiting": {
        await this.#recorder.flush();
        const { kind, deadlineAt } = said;
        await this.#wait((token) =>
          this.#execute("openWait", { runId, attempt, kind, deadlineAt, token }),
        );
        return false;
      }
      case "ended":
        await this.#recorder.flush();
        await this.#execute("complete", { runId, attempt, stopReason: said.stopReason });
        return true;
      case "failed": {
        await this.#recorder.flush();
        const way = said.way === undefined ? {} : { way: said.way };
        await this.#execute("failAttempt", { runId, attempt, error: said.error, ...way });
        return true;
      }
      default:
        if (this.#recorder.add(said)) await this.#recorder.room();
        return false;
    }
  }

  async #wait(
    open: (token: { hash: string; expiresAt: null }) => Promise<Executed>,
  ): Promise<void> {
    const secret = newSecret(this.#options.random);
    const { events } = await open({ hash: secret.hash, expiresAt: null });
    const minted = events.find((event) => event.kind === "token.minted");
    if (minted === undefined) return;
    const clear = clearToken(minted.tokenId, this.runId, secret);
    this.#options.onToken(this.#session, this.runId, clear);
  }

  /** Nobody waits for it: on a full disk a cancel must still get past it to the agent. */
  #note<N extends CommandName>(name: N, input: CommandInput<N>): void {
    this.#execute(name, input).catch((error: unknown) => {
      if (!isLate(error)) this.#options.onError(this.#session, error);
    });
  }

  #execute<N extends CommandName>(name: N, input: CommandInput<N>): Promise<Executed> {
    const { sessions } = this.#options;
    return patiently(sessions, this.#stop.signal, () =>
      sessions.execute(this.#session, name, input),
    );
  }
}
