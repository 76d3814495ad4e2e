/**
 * The host's connection to one session's agent, over a link to its holder or inside this process.
 * It journals the agent's frames and sends every durable intent without its matching fact (a
 * prompt, an answer, a cancel) under a key. A request repeated under its key has no second effect,
 * so `attend` can be called for any state.
 */

import {
  type ApprovalState,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import { launchOf, promptKey } from "../agents/acp/acp.ts";
import { KnownTools } from "../agents/acp/acp-tools.ts";
import type { Ending } from "../holder/spool/frames.ts";
import { isLate } from "../session/refusals.ts";
import type { WorkspaceFindings } from "../workspace/workspace-findings.ts";
import type { AgentLink } from "./agent-link.ts";
import { Ingest, type IngestOptions } from "./ingest.ts";
import type { Models } from "./models.ts";
import { type PreparationOptions, PromptPreparation } from "./prompt-preparation.ts";
import { speaker } from "./speaker.ts";

/** The dependencies that all connections of a host share. */
export type AgentConnectionDeps = Pick<PreparationOptions, "look" | "isFolderGone"> &
  Omit<IngestOptions, "session" | "holderId" | "stopped" | "cursor" | "tools" | "replay">;

export interface ConnectionOptions
  extends AgentConnectionDeps,
    Omit<IngestOptions, "stopped" | "tools"> {
  readonly link: AgentLink;
  readonly onExit: (connection: AgentConnection) => Promise<void>;
  /** Called when the link ended without an exit of the agent. */
  readonly onLost: (connection: AgentConnection) => Promise<void>;
}

const askedToEnd: Ending = { stdinMs: 2000, termMs: 2000 };
const killed: Ending = { stdinMs: 0, termMs: 200 };

export class AgentConnection {
  readonly session: SessionId;
  /** Null for an agent inside this process. */
  readonly holderId: string | null;
  readonly link: AgentLink;
  /** Resolves when the link is closed and all its frames are journalled. */
  readonly over: Promise<void>;
  /** The agent's models; null until this host has started the agent. */
  models: Models | null = null;
  failure: unknown = null;
  readonly #options: ConnectionOptions;
  readonly #ingest: Ingest;
  readonly #preparation: PromptPreparation;
  readonly #stop = new AbortController();
  readonly #sent = new Set<string>();
  readonly #caughtUp = Promise.withResolvers<void>();
  /** The key of the prompt that was sent and whose turn has not ended. */
  #prompting: string | null = null;
  #cancelling: string | null = null;
  /** The key of the latest prompt whose turn ended; its end may not be durable yet. */
  #ended: string | null = null;
  /** True once the holder was told to end the agent, which then gets no more messages. */
  #ending = false;
  #exited = false;
  /** The order to freeze or to thaw that its holder has not confirmed yet. */
  #freezing: { readonly isFrozen: boolean; readonly done: PromiseWithResolvers<void> } | null =
    null;
  #heardAt: number;
  /** Steady time since which frames wait for the journal; null while none do. */
  #takingSince: number | null = null;

  constructor(options: ConnectionOptions, tools = new KnownTools()) {
    this.#options = options;
    this.session = options.session;
    this.holderId = options.holderId;
    this.link = options.link;
    // The agent may still work on a run that is over in the journal, and must be told to stop.
    this.#prompting = this.link.hello.pending.find((key) => launchOf(key) !== null) ?? null;
    this.#heardAt = options.clock.steady();
    const { signal: stopped } = this.#stop;
    this.#ingest = new Ingest(
      { ...options, stopped, tools },
      {
        durable: (n) => this.link.ack(n),
        answer: (key, line) => this.link.answered(key, line),
        prompted: (runId, attempt) => this.#prompted(promptKey(runId, attempt)),
        refuse: (n, why, method) => this.link.refuse(n, why, method),
        frozen: (is) => this.#frozen(is),
        exited: (reason) => this.#gone(reason),
        // Closing the link ends the reader, which then gets the error.
        broken: () => this.link.close(),
      },
    );
    this.#preparation = new PromptPreparation(options, {
      isLeaving: () => this.#isLeaving,
      ask: () => this.#endAgent(askedToEnd),
      kill: () => this.kill(),
    });
    this.over = this.#play();
  }

  /** Resolves when all frames that the holder had at the connect are journalled. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  get hasExited(): boolean {
    return this.#exited;
  }

  /** True when the agent had exited before this host connected to its holder. */
  get wasExited(): boolean {
    return this.link.hello.agent === "exited";
  }

  /** Aborted when the host closes the connection on purpose. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Steady ms since the agent's last frame; null while output waits or the agent ends. */
  get silence(): number | null {
    if (this.#takingSince !== null || this.#isLeaving) return null;
    return this.#options.clock.steady() - this.#heardAt;
  }

  /**
   * True while frames wait longer for the journal than a retry on a full disk takes. The agent's
   * answer may be among them or behind them, so that its absence proves nothing.
   */
  get waitsForDisk(): boolean {
    if (this.#takingSince === null || this.failure !== null) return false;
    const { clock, policy } = this.#options;
    return clock.steady() - this.#takingSince >= policy.fullRetry;
  }

  async ready(
    { agentSessionId, contextFrom, cutOffRun }: Parameters<Ingest["ready"]>[0],
    found: Promise<WorkspaceFindings> | null = null,
    receipted: Promise<void> = Promise.resolve(),
  ): Promise<void> {
    const run = openRun(await this.#options.sessions.state(this.session));
    this.#preparation.launched(run, found, receipted);
    await this.#ingest.ready({ agentSessionId, contextFrom, cutOffRun });
  }

  /** Sends the prompt, answers or cancel that the state calls for. */
  async attend(state: SessionState): Promise<void> {
    if (this.#isLeaving || !this.#isUp(state)) return;
    const run = openRun(state);
    this.#answerAll(state);
    const playing = this.#playing(state);
    if (playing !== null && (run === null || run.cancel !== null || !isOf(playing, run))) {
      this.#cancel(state, playing);
      return;
    }
    if (playing !== null) return;
    if (run === null) this.#closeIdle();
    else if (run.cancel !== null) await this.#settleUnsent(run.id);
    else if (wantsPrompt(run)) await this.#prompt(state, run);
  }

  /** Resolves when it is journalled; false when the holder leaves it to the host. */
  async setFrozen(isFrozen: boolean): Promise<boolean> {
    if (this.#freezing?.isFrozen !== isFrozen) {
      const key = `${isFrozen ? "freeze" : "thaw"}/${this.#options.sessions.newId("holder")}`;
      if (!this.link.setFrozen(key, isFrozen)) return false;
      this.#freezing?.done.resolve();
      this.#freezing = { isFrozen, done: Promise.withResolvers() };
    }
    await Promise.race([this.#freezing.done.promise, this.over]);
    return true;
  }

  #frozen(is: "frozen" | "thawed" | "moving"): void {
    if (this.#freezing === null || this.#freezing.isFrozen !== (is !== "thawed")) return;
    this.#freezing.done.resolve();
    this.#freezing = null;
  }

  /** Disconnects; the holder and its agent live on. */
  close(): void {
    this.#stop.abort();
    this.link.close();
  }

  /** Disconnects from a holder that will be killed, without waiting for unsent messages. */
  drop(): void {
    this.#stop.abort();
    this.link.drop();
  }

  /** Ends agent and holder; resolves when the end is journalled or the link is closed. */
  async end(how: "asked" | "killed"): Promise<void> {
    this.#stop.abort();
    this.link.end(how === "asked" ? askedToEnd : killed, true);
    await this.over;
  }

  /** Ends the agent alone; its exit arrives as a frame. */
  kill(): void {
    this.#endAgent(killed);
  }

  #endAgent(how: Ending): void {
    this.#ending = true;
    this.link.end(how, false);
  }

  /** An agent inside this process takes its prompt at once, and need not say that it is ready. */
  #isUp({ runtime }: SessionState): boolean {
    return this.holderId === null || runtime.state === "live";
  }

  /** Closes the link to an agent inside this process that has no run; one in a holder stays up. */
  #closeIdle(): void {
    if (this.holderId === null && !this.link.isOver) this.close();
  }

  get #isLeaving(): boolean {
    return this.#exited || this.#ending || this.stopped.aborted;
  }

  /** The key of the prompt that the agent has or is about to get. */
  #playing(state: SessionState): string | null {
    const who = speaker(state, this.holderId);
    return who === null ? this.#prompting : promptKey(who.runId, who.attempt);
  }

  /** Settles a cancel before the prompt was sent, because no agent will answer for this run. */
  async #settleUnsent(runId: string): Promise<void> {
    const { sessions, session } = this.#options;
    // Frames that are still to come may show that the agent took the prompt.
    await this.caughtUp;
    const state = await sessions.state(session);
    if (openRun(state)?.id !== runId || this.#playing(state) !== null) return;
    await sessions.execute(session, "settleCancel", { runId });
  }

  async #prompt(state: SessionState, run: RunState): Promise<void> {
    const { sessions, session } = this.#options;
    if (this.link.isOver) return;
    const key = promptKey(run.id, run.attempt.n);
    const prepared = await this.#preparation.prepare(state, run, this.models);
    if (prepared === null) return;
    const now = await sessions.state(session);
    const still = openRun(now);
    // A cancel may have come while the prompt was read.
    if (still === null || !isOf(key, still) || !wantsPrompt(still)) return;
    if (this.#isLeaving || this.link.isOver) return;
    this.#prompting = key;
    this.#heardAt = this.#options.clock.steady();
    for (const { waitId } of run.results) this.#sent.add(waitId);
    const { agentSessionId } = state.runtime;
    this.link.prompt(key, { ...prepared, results: run.results, agentSessionId });
  }

  #answerAll({ run }: SessionState): void {
    for (const approval of run?.approvals ?? []) {
      const over = approval.decision !== null || approval.withdrawn;
      if (over && !approval.delivered) this.#answer(approval, run?.cancel != null);
    }
    for (const { waitId, result } of run?.results ?? []) {
      if (this.#isFirst(waitId)) this.link.resume(waitId, result);
    }
  }

  #answer(approval: ApprovalState, isCancelled: boolean): void {
    const key = `answer/${approval.id}`;
    if (this.#hasAsked(approval) && this.#isFirst(key)) {
      this.link.answer(key, approval, isCancelled);
    }
  }

  #hasAsked({ askedBy, attempt }: ApprovalState): boolean {
    if (this.holderId !== null) return askedBy?.holderId === this.holderId;
    return this.#prompting !== null && launchOf(this.#prompting)?.attempt === attempt;
  }

  #isFirst(key: string): boolean {
    if (this.#sent.has(key)) return false;
    this.#sent.add(key);
    return true;
  }

  /** Asks the agent to stop, and kills it after the grace time; the outcome follows. */
  #cancel({ runtime }: SessionState, playing: string): void {
    if (this.#cancelling === playing || this.#ended === playing) return;
    this.#cancelling = playing;
    const launch = launchOf(playing);
    this.link.cancel(`cancel/${launch?.runId}/${launch?.attempt}`, runtime.agentSessionId);
    this.#killAfterGrace(playing);
  }

  #killAfterGrace(playing: string): void {
    const { clock, policy } = this.#options;
    clock.after(policy.cancelGrace, () => {
      if (this.#cancelling !== playing || this.#exited) return;
      if (this.waitsForDisk) this.#killAfterGrace(playing);
      else this.kill();
    });
  }

  #prompted(key: string): void {
    if (this.#prompting === key) this.#prompting = null;
    if (this.#cancelling === key) this.#cancelling = null;
    this.#ended = key;
    void this.#attendAgain();
  }

  /** Attends again without an event: the run may have ended before its agent's turn did. */
  async #attendAgain(): Promise<void> {
    const { sessions, session, onError } = this.#options;
    try {
      await this.attend(await sessions.state(session));
    } catch (error) {
      if (!isLate(error)) onError(session, error);
    }
  }

  #gone(reason: string): void {
    this.#exited = true;
    // The spool is no longer needed: the holder exits once the exit is acknowledged.
    this.link.end(killed, true);
    this.#rejectRequests(reason);
  }

  #rejectRequests(reason: string): void {
    this.#prompting = null;
    this.link.rejectRequests(reason);
  }

  async #play(): Promise<void> {
    const { session, onError, onExit, onLost } = this.#options;
    try {
      await this.#listen();
    } catch (error) {
      this.failure = error;
      onError(session, error);
    }
    this.#caughtUp.resolve();
    try {
      if (this.#exited) {
        await onExit(this);
      } else {
        this.link.close();
        this.#rejectRequests("the connection to the agent was lost");
        await onLost(this);
      }
    } catch (error) {
      onError(session, error);
    }
  }

  async #listen(): Promise<void> {
    const { last, agent } = this.link.hello;
    let seen = this.#options.cursor;
    let bytes = 0;
    if (last <= seen) {
      // The exit is journalled, but the host that wrote it died before it ended the holder. No
      // further frame will report the exit.
      if (agent === "exited") this.#gone("it ended before this host started");
      this.#caughtUp.resolve();
    }
    for await (const frames of this.link.frames) {
      const taken = bytes;
      bytes = this.link.bytesRead;
      this.#takingSince = this.#options.clock.steady();
      await this.#ingest.take(frames, bytes - taken);
      const before = seen;
      seen = frames.at(-1)?.n ?? seen;
      if (before < last && seen >= last) {
        await this.#ingest.flush();
        this.#caughtUp.resolve();
      }
      this.#takingSince = null;
      this.#heardAt = this.#options.clock.steady();
    }
    await this.#ingest.flush();
  }
}

function isOf(playing: string, run: RunState): boolean {
  return playing === promptKey(run.id, run.attempt.n);
}

function wantsPrompt(run: RunState): boolean {
  if (run.cancel !== null || run.waits.length > 0) return false;
  return !run.attempt.accepted && run.paused === null && !run.unreachable;
}
