/**
 * One launch of an in-process agent: records its stream in the journal until it ends, fails, or its
 * process is gone.
 */

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
  /** Receives a new resume token in clear, for the creator of the run. Never journalled. */
  readonly onToken: (session: SessionId, runId: string, token: string) => void;
  /** Receives a failure that no rule covers. */
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
  /** Steady time of the launch, then of the last output. */
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
    /** Results that the prompt carried. */
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
   * Milliseconds of steady time since the last output. Null while the agent waits for a full disk,
   * and after it was killed.
   */
  get silence(): number | null {
    if (this.#recording || this.#stop.signal.aborted) return null;
    return this.#options.sessions.clock.steady() - this.#heardAt;
  }

  /** Delivers a durable decision to the agent, once. */
  answer({ id, toolCallId, decision }: ApprovalState): void {
    if (decision === null || this.#answered.has(id)) return;
    this.#answered.add(id);
    this.#turn.answer(toolCallId, decision === "deny" ? "deny" : "allow");
    this.#note("deliver", { runId: this.runId, approvalId: id });
  }

  /** Delivers a durable result to the agent, once. */
  resume({ waitId, result }: WaitResult): void {
    if (this.#answered.has(waitId)) return;
    this.#answered.add(waitId);
    this.#turn.resume(result);
    this.#note("deliverResult", { runId: this.runId, waitId });
  }

  /**
   * Asks the agent to stop, and kills it after the grace time; the outcome follows when the stream
   * is over.
   */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#turn.cancel();
    const { clock, policy } = this.#options.sessions;
    const take = clock.after(policy.cancelGrace, () => {
      // A failure reaches the callers that await `over`.
      this.kill().catch(() => undefined);
    });
    this.over.then(take, take);
  }

  /** Kills the agent; resolves when its processes are gone and its end is durable. */
  async kill(): Promise<void> {
    this.#stop.abort();
    await this.#turn.kill();
    await this.over;
  }

  /** Like `kill`; the attempt fails with this reason unless its end was recorded first. */
  giveUp(reason: { code: string; message: string }): Promise<void> {
    this.#givenUp = reason;
    return this.kill();
  }

  /**
   * Like `kill`, for a closing host: a prompt that was not accepted stays open for the next boot.
   */
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
      // A full disk at close does not fail the run: the next boot settles it.
      if (this.#leaving && isFull(error)) return;
      if (!isLate(error)) await this.#unrecordable(error);
    }
  }

  /** The agent's output cannot be journalled: the run fails with the reason. */
  async #unrecordable(error: unknown): Promise<void> {
    const { runId, attempt } = this;
    const reason = reasonOf(error);
    if (reason.code === "internal") this.#options.onError(this.#session, error);
    await this.#execute("failAttempt", { runId, attempt, error: reason }).catch(() => {
      throw error;
    });
  }

  /** The stream stopped without an end: the process is gone. */
  async #vanished(): Promise<void> {
    const { runId, attempt } = this;
    if (this.#leaving && !this.#accepted) return;
    if (this.#givenUp !== null) {
      await this.#execute("failAttempt", { runId, attempt, error: this.#givenUp });
    } else if (this.#accepted || this.#stop.signal.aborted) {
      await this.#execute("processDied", { runId, attempt, reason: "process_exit" });
    } else {
      const error = {
        code: "launch_failed",
        message: "The agent ended before it took the prompt.",
      };
      await this.#execute("failAttempt", { runId, attempt, error });
    }
  }

  /** Records one message of the agent; true for the last one. */
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
            runId,
            attempt,
            toolCallId,
            toolName,
            input,
            token,
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

  /** Executes without waiting, so that on a full disk a cancel still reaches the agent. */
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
