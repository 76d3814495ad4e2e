/**
 * Writes an agent's frames into the journal, exactly once and in order: each commit moves the
 * ingest cursor together with the events made from the frames up to it. Text is grouped for at most
 * `deltaGroup`; any other frame first flushes the open group. Live holders, the spools of dead ones
 * and agents inside this process use the same code; the last have no cursor.
 */

import {
  type CommandInput,
  HostError,
  type Output,
  type ReportName,
  type SessionId,
  type SessionState,
  type WorkspaceMark,
} from "@holdfast/protocol";
import { type AgentError, type Meaning, meaningOf } from "../agents/acp/acp.ts";
import type { KnownTools } from "../agents/acp/acp-tools.ts";
import type { Replay } from "../agents/acp/replay.ts";
import type { Clock } from "../base/clock.ts";
import type { Policy } from "../base/policy.ts";
import type { RpcLine } from "../holder/spool/frames.ts";
import type { Blobs } from "../journal/blobs.ts";
import { fitting } from "../session/fitting.ts";
import type { Executed } from "../session/owner.ts";
import { isLate, reasonOf } from "../session/refusals.ts";
import type { Sessions } from "../session/sessions.ts";
import type { AgentFrame, RunAttempt } from "./agent-link.ts";
import { OutputGroup } from "./output-group.ts";
import { isUnrecordable, Questions } from "./questions.ts";
import { type SaidMeaning, saidMeaning } from "./said-meaning.ts";
import { speaker } from "./speaker.ts";

export interface IngestOptions {
  readonly session: SessionId;
  readonly holderId: string | null;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly policy: Policy;
  readonly blobs: Blobs;
  readonly random: (bytes: number) => Uint8Array;
  readonly onToken: (session: SessionId, runId: string, token: string) => void;
  /** The mark of the session's workspace, for a comparison; null if it cannot be read. */
  readonly mark: (state: SessionState) => Promise<WorkspaceMark | null>;
  readonly onError: (session: SessionId, error: unknown) => void;
  /** The login command of the agent of this name; null if it is not known. */
  readonly loginOf: (agentName: string) => string | null;
  /** Stops the retries on a full disk. */
  readonly stopped: AbortSignal;
  readonly cursor: number;
  readonly tools: KnownTools;
  readonly replay?: Replay;
}

/** Receives the effects of frames outside the journal; the spool of a dead holder needs none. */
interface Listener {
  /** All frames up to `n` are durable. */
  durable(n: number): void;
  answer(key: string, line: RpcLine): void;
  /** The agent ended its turn for this prompt; the event follows. */
  prompted(runId: string, attempt: number): void;
  /** Called for a request that no person can answer; the listener refuses it. */
  refuse(n: number, why: "unsupported" | "cancelled", method: string): void;
  /** The agent stands still or goes on, by its holder; `moving` when it did not stand still. */
  frozen(is: "frozen" | "thawed" | "moving"): void;
  exited(reason: string): void;
  /** A write failed, perhaps while no caller waited; the next `flush` rejects with the error. */
  broken(): void;
}

/** Frames without events, and bytes, after which the cursor moves: a spool holds 64 MB. */
const quietFrames = 256;
const quietBytes = 8 * 1024 * 1024;

type Settling = Exclude<Meaning | SaidMeaning, { type: "nothing" | "output" }>;

export class Ingest {
  readonly #options: IngestOptions;
  readonly #listener: Listener;
  readonly #questions: Questions;
  /** The number of the last durable frame, and of the last parsed one. */
  #cursor: number;
  #to: number;
  /** Bytes taken since the last forced move of the cursor. */
  #bytes = 0;
  readonly #group: OutputGroup;
  /** The launch of the group's output, for an agent inside this process. */
  #launch: RunAttempt | null = null;
  #replay: Replay | null;
  #cancelTimer: (() => void) | null = null;
  /** True when the group goes with the next write. */
  #isDue = false;
  #writes: Promise<void> = Promise.resolve();
  #failed: unknown = null;

  constructor(options: IngestOptions, listener: Listener) {
    this.#options = options;
    this.#listener = listener;
    this.#questions = new Questions(
      options,
      (name, input, to) => this.#execute(name, input, to),
      (n) => listener.refuse(n, "cancelled", ""),
    );
    this.#group = new OutputGroup(options.policy.deltaBytes);
    this.#replay = options.replay ?? null;
    this.#cursor = options.cursor;
    this.#to = options.cursor;
  }

  /** Takes frames of `bytes` in the spool. Resolves when more may come; throws after a failure. */
  async take(frames: readonly AgentFrame[], bytes = 0): Promise<void> {
    for (const frame of frames) {
      if (frame.n <= this.#to) continue;
      if (frame.k !== "said") this.#replay?.take(frame);
      const meaning = this.#understand(frame);
      if (meaning.type === "output") {
        if (frame.k === "said") this.#launch = frame.launch;
        for (const item of meaning.output) this.#group.add(item);
        this.#to = frame.n;
        if (this.#group.isFull) await this.flush();
        else if (frame.k === "said" && !isText(meaning.output)) this.#flushSoon();
      } else if (meaning.type === "nothing") {
        this.#to = frame.n;
      } else {
        this.#close();
        this.#to = frame.n;
        await this.#inTurn((to) => this.#settle(meaning, to));
      }
    }
    if (this.#options.holderId !== null) await this.#passQuiet(bytes);
    this.#schedule();
  }

  /** Parses a frame; an unreadable line is skipped and does not block later ones. */
  #understand(frame: AgentFrame): Meaning | SaidMeaning {
    try {
      if (frame.k === "said") return saidMeaning(frame);
      return meaningOf(frame, this.#options.tools);
    } catch {
      return { type: "nothing" };
    }
  }

  /** Acknowledges frames without events before they fill the holder's spool. */
  async #passQuiet(bytes: number): Promise<void> {
    this.#bytes += bytes;
    const isLarge = this.#bytes >= quietBytes;
    if (isLarge) {
      this.#bytes = 0;
      this.#close();
    }
    const isMany = this.#to - this.#cursor >= quietFrames && this.#group.isEmpty;
    if (isLarge || isMany) await this.#pass();
  }

  #pass(): Promise<void> {
    return this.#inTurn(async (to) => {
      if (to > this.#cursor) await this.#execute("announce", {}, to);
    });
  }

  /** Resolves when all frames taken so far are durable, or have no event. */
  flush(): Promise<void> {
    this.#close();
    return this.#writes;
  }

  #close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#group.isEmpty) return;
    const output = this.#group.take();
    const launch = this.#launch;
    this.#inTurn((to) => this.#record(output, to, launch)).catch(() => undefined);
  }

  /** The agent is ready: all before was its replay, which is not journalled as new output. */
  ready(known: Omit<CommandInput<"agentReady">, "holderId">): Promise<void> {
    const { holderId } = this.#options;
    this.#replay = null;
    this.#close();
    return this.#inTurn(async (to) => {
      await this.#execute("agentReady", { ...known, holderId }, to);
    });
  }

  /** Runs writes in order, each from the current cursor to the last frame taken now. */
  #inTurn(write: (to: number) => Promise<void>): Promise<void> {
    const to = this.#to;
    this.#writes = this.#writes.then(() => write(to));
    this.#writes.catch((error: unknown) => {
      this.#failed ??= error;
      this.#listener.broken();
    });
    return this.#writes;
  }

  #schedule(): void {
    if (this.#failed !== null) throw this.#failed;
    if (this.#group.isEmpty || this.#cancelTimer !== null) return;
    const { clock, policy } = this.#options;
    this.#cancelTimer = clock.after(policy.deltaGroup, () => this.#flushSoon());
  }

  /** Flushes after the write in flight; when the group is full, the agent is not read any more. */
  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#writes
      .then(() => {
        this.#isDue = false;
        return this.flush();
      })
      .catch(() => undefined);
  }

  async #record(items: readonly Output[], to: number, launch: RunAttempt | null): Promise<void> {
    const { session, blobs, holderId } = this.#options;
    const { sessions, stopped } = this.#options;
    const output = await sessions.patiently(stopped, () =>
      Promise.all(items.map((item) => fitting(blobs, session, item))),
    );
    for (;;) {
      const state = await this.#options.sessions.state(session);
      // Output before the agent is ready is a replay of events that the journal has.
      if (holderId !== null && state.runtime.readyHolderId !== holderId) return;
      const who = launch ?? speaker(state, holderId);
      try {
        if (who === null) await this.#execute("speak", { output }, to);
        else await this.#execute("record", { ...who, output }, to);
        return;
      } catch (error) {
        // Late output of an older launch is dropped.
        if (isLate(error) && launch !== null) return;
        // The run ended between the read and the write, so the output belongs to no run.
        if (isLate(error)) continue;
        if (!isUnrecordable(error)) throw error;
        if (who === null) return;
        // The output cannot be journalled: the run fails with the reason.
        await this.#execute("failAttempt", { ...who, error: reasonOf(error) }, to);
        return;
      }
    }
  }

  async #settle(meaning: Settling, to: number): Promise<void> {
    try {
      await this.#act(meaning, to);
    } catch (error) {
      // A report of a run that has moved on is dropped.
      if (isLate(error)) return;
      if (!isUnrecordable(error) || !("attempt" in meaning)) throw error;
      const { runId, attempt } = meaning;
      const isInProcess = this.#options.holderId === null;
      const reason = isInProcess ? reasonOf(error) : unrecordable;
      await this.#execute("failAttempt", { runId, attempt, error: reason }, to);
    }
  }

  async #act(meaning: Settling, to: number): Promise<void> {
    const { holderId, session, sessions } = this.#options;
    switch (meaning.type) {
      case "accepted": {
        const { runId, attempt } = meaning;
        await this.#execute("accept", { runId, attempt, holderId }, to);
        return;
      }
      case "delivered": {
        const runId = (await sessions.state(session)).run?.id ?? "";
        await this.#execute("deliver", { runId, approvalId: meaning.approvalId }, to).catch(
          (error: unknown) => {
            // A withdrawn question has no decision to deliver.
            if (!(error instanceof HostError)) throw error;
          },
        );
        return;
      }
      case "permission":
        return this.#questions.ask(meaning, to);
      case "asked":
        return this.#questions.askHere(meaning, to);
      case "unsupported":
        return this.#listener.refuse(meaning.n, "unsupported", meaning.method);
      case "ended": {
        const { runId, attempt, stopReason, usage, lastMessageId } = meaning;
        this.#listener.prompted(runId, attempt);
        const told = {
          ...(usage === null ? {} : { usage }),
          ...(lastMessageId === null ? {} : { lastMessageId }),
        };
        await this.#execute("complete", { runId, attempt, stopReason, ...told }, to);
        return;
      }
      case "failed": {
        const { runId, attempt } = meaning;
        const error = await this.#withLogin(meaning.error);
        this.#listener.prompted(runId, attempt);
        const way = meaning.way === undefined ? {} : { way: meaning.way };
        await this.#execute("failAttempt", { runId, attempt, error, ...way }, to);
        return;
      }
      case "answer":
        return this.#listener.answer(meaning.key, meaning.line);
      case "ready":
        await this.#execute("agentReady", { agentSessionId: meaning.agentSessionId, holderId }, to);
        return;
      case "waiting":
        return this.#questions.openWait(meaning, to);
      case "resumed": {
        const { runId, waitId } = meaning;
        await this.#execute("deliverResult", { runId, waitId }, to);
        return;
      }
      case "frozen": {
        const { is } = meaning;
        const { sandbox } = (await sessions.state(session)).runtime;
        if (is !== "moving" && sandbox !== null) {
          await this.#execute("sandbox", { sandboxId: sandbox.id, is }, to);
        }
        return this.#listener.frozen(is);
      }
      case "exited": {
        if (holderId !== null) {
          await this.#execute("agentExited", { reason: meaning.reason.slice(0, 200) }, to);
        }
        return this.#listener.exited(meaning.reason);
      }
    }
  }

  /** Adds the login command to the error of an agent that needs a login; agents rarely tell it. */
  async #withLogin(error: AgentError): Promise<AgentError> {
    if (error.code !== "auth_required") return error;
    const { session, sessions, loginOf } = this.#options;
    const how = loginOf((await sessions.state(session)).agentName);
    return how === null ? error : { ...error, message: `${error.message} To log in: ${how}.` };
  }

  async #execute<N extends ReportName>(
    name: N,
    input: CommandInput<N>,
    to: number = this.#cursor,
  ): Promise<Executed> {
    const { sessions, session, holderId, stopped } = this.#options;
    const moved = holderId === null ? undefined : { holder: holderId, from: this.#cursor, to };
    const executed = await sessions.patiently(stopped, () =>
      sessions.execute(session, name, input, moved),
    );
    this.#cursor = to;
    this.#listener.durable(to);
    return executed;
  }
}

const unrecordable = {
  code: "agent_error",
  message: "The output of the agent could not be saved.",
};

const isText = (output: readonly Output[]) =>
  output.every(({ type }) => type === "text" || type === "thinking");
