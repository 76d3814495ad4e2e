/**
 * One session's holder, as this host has hold of it: its frames go into the journal, and every
 * durable intent without its matching fact (a prompt, an answer, a cancel) is sent under its key.
 * Asking again under a key does nothing twice, so attending to a state is always safe.
 */

import {
  type ApprovalState,
  HostError,
  type Json,
  openRun,
  type RunState,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import {
  answerOf,
  cancelledPermission,
  launchOf,
  methods,
  permissionResult,
  promptKey,
  promptParams,
} from "../agents/acp.ts";
import { KnownTools } from "../agents/acp-tools.ts";
import type { Prompt } from "../agents/agent.ts";
import type { Ending, LaunchSpec, Refused, Reply, RpcLine } from "../holder/frames.ts";
import type { Link } from "../holder/link.ts";
import { Ingest, type IngestOptions, speaker } from "./ingest.ts";
import type { Models } from "./models.ts";
import { needsLook, promptFor, promptText } from "./prompts.ts";
import { isLate, reasonOf } from "./refusals.ts";
import { type Found, unseen } from "./resume/reconcile.ts";
import type { Written } from "./resume/short-files.ts";

/** Where a link tells what is no frame; whoever holds it listens. */
export class Hearing {
  onReply: (reply: Reply) => void = () => undefined;
  onRefused: (refused: Refused) => void = () => undefined;
}

export interface HeldOptions extends Omit<IngestOptions, "stopped" | "tools"> {
  readonly link: Link;
  readonly hearing: Hearing;
  /** What the session's workspace really looks like. */
  readonly look: (state: SessionState, written: readonly Written[]) => Promise<Found>;
  /** The agent is gone, and that is in the journal. */
  readonly onExit: (held: Held) => Promise<void>;
  /** The link broke while the holder should be there. */
  readonly onLost: (held: Held) => Promise<void>;
}

/** What an agent that came up has, and what it does not know. */
export interface Ready {
  readonly agentSessionId: string;
  readonly contextFrom?: number | null;
  readonly cutOffRun?: string | null;
}

/** JSON-RPC's own number for a method that is not there. */
const METHOD_NOT_FOUND = -32_601;

const askedToEnd: Ending = { stdinMs: 2000, termMs: 2000 };
const killed: Ending = { stdinMs: 0, termMs: 200 };

export class Held {
  readonly session: SessionId;
  readonly holderId: string;
  readonly link: Link;
  /** Resolves when the link is closed and everything it brought is in the journal. */
  readonly over: Promise<void>;
  /** Known once the agent came up under this host. */
  models: Models | null = null;
  readonly #options: HeldOptions;
  readonly #ingest: Ingest;
  readonly #stop = new AbortController();
  readonly #asked = new Map<string, PromiseWithResolvers<RpcLine>>();
  readonly #sent = new Set<string>();
  readonly #caughtUp = Promise.withResolvers<void>();
  /** The prompt on its way to the agent, before the journal knows that it was taken. */
  #prompting: string | null = null;
  #cancelling: string | null = null;
  /** What the launch saw of the workspace, for the run that it was for. */
  #launchLook: { readonly runId: string; readonly found: Promise<Found> } | null = null;
  /** The holder was told to end the agent: whatever is sent now does not reach it. */
  #ending = false;
  #exited = false;
  #heardAt: number;

  constructor(options: HeldOptions, tools = new KnownTools()) {
    this.#options = options;
    this.session = options.session;
    this.holderId = options.holderId;
    this.link = options.link;
    // A run may be over for the journal while its agent still works: it must be told.
    this.#prompting = this.link.hello.pending.find((key) => launchOf(key) !== null) ?? null;
    this.#heardAt = options.sessions.clock.steady();
    const { signal: stopped } = this.#stop;
    this.#ingest = new Ingest(
      { ...options, stopped, tools },
      {
        durable: (n) => this.link.ack(n),
        answer: (key, line) => this.#asked.get(key)?.resolve(line),
        prompted: (runId, attempt) => this.#prompted(promptKey(runId, attempt)),
        refuse: (n, why, method) => this.#refuse(n, why, method),
        exited: (reason) => this.#gone(reason),
        // What reads the link ends with it, and then hears why.
        broken: () => this.link.close(),
      },
    );
    options.hearing.onReply = ({ key, line }) => this.#replied(key, line);
    options.hearing.onRefused = (refused) => this.#refused(refused);
    this.over = this.#play();
  }

  /** Everything that the holder had to say when this host came is in the journal. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  get hasExited(): boolean {
    return this.#exited;
  }

  /** Aborted when someone lets go of it on purpose. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** For how long (steady) the agent has said nothing. */
  get silence(): number {
    return this.#options.sessions.clock.steady() - this.#heardAt;
  }

  launch(spec: LaunchSpec): void {
    this.link.launch("launch/1", spec);
  }

  /** The agent's answer; asking again under the same key gets the same one. */
  ask(key: string, method: string, params: object): Promise<RpcLine> {
    if (this.#exited) return Promise.reject(exitedError());
    const known = this.#asked.get(key) ?? Promise.withResolvers<RpcLine>();
    this.#asked.set(key, known);
    this.link.request(key, method, params as unknown as Json);
    return known.promise;
  }

  /** Its agent is ready for prompts, and all it replayed is behind it. */
  async ready(
    { agentSessionId, contextFrom = null, cutOffRun = null }: Ready,
    found: Promise<Found> | null = null,
  ): Promise<void> {
    const run = openRun(await this.#options.sessions.state(this.session));
    if (run !== null && found !== null) this.#launchLook = { runId: run.id, found };
    await this.#ingest.ready({ agentSessionId, contextFrom, cutOffRun });
  }

  /** Sends what the state wants sent. */
  async attend(state: SessionState): Promise<void> {
    if (this.#isLeaving || state.runtime.state !== "live") return;
    const run = openRun(state);
    this.#answerAll(state);
    const playing = this.#playing(state);
    if (playing !== null && (run === null || run.cancel !== null || !isOf(playing, run))) {
      this.#cancel(state, playing);
      return;
    }
    if (run === null || playing !== null) return;
    if (run.cancel !== null) await this.#settleUnsent(run.id);
    else if (wantsPrompt(run)) await this.#prompt(state, run);
  }

  /** Lets go: the holder and its agent live on. */
  close(): void {
    this.#stop.abort();
    this.link.close();
  }

  /** Lets go of a holder that is to be killed: what it has not taken yet is not waited for. */
  drop(): void {
    this.#stop.abort();
    this.link.drop();
  }

  /** Ends agent and holder; resolves when the end is in the journal or the link is closed. */
  async end(how: "asked" | "killed"): Promise<void> {
    this.#stop.abort();
    this.link.end(how === "asked" ? askedToEnd : killed, true);
    await this.over;
  }

  /** Ends the agent alone: the exit comes back as a frame. */
  kill(): void {
    this.#ending = true;
    this.link.end(killed, false);
  }

  get #isLeaving(): boolean {
    return this.#exited || this.#ending || this.stopped.aborted;
  }

  /** The prompt that the agent has or is about to get. */
  #playing(state: SessionState): string | null {
    const who = speaker(state, this.holderId);
    return who === null ? this.#prompting : promptKey(who.runId, who.attempt);
  }

  /** The cancel came before the prompt went out: no agent will ever answer for this run. */
  async #settleUnsent(runId: string): Promise<void> {
    const { sessions, session } = this.#options;
    // What the holder has yet to tell may be that its agent took the prompt.
    await this.caughtUp;
    const state = await sessions.state(session);
    if (openRun(state)?.id !== runId || this.#playing(state) !== null) return;
    await sessions.execute(session, "settleCancel", { runId });
  }

  async #prompt(state: SessionState, run: RunState): Promise<void> {
    const { sessions, session } = this.#options;
    const { agentSessionId } = state.runtime;
    if (agentSessionId === null) return;
    const key = promptKey(run.id, run.attempt.n);
    const prompt = await this.#promptOf(state, run);
    if (prompt === null || !(await this.#hasModel(state, run, agentSessionId))) return;
    const found = needsLook(prompt) ? await this.#look(state, run, prompt) : unseen;
    const now = await sessions.state(session);
    const still = openRun(now);
    // Reading took a while, and a cancel may have come first.
    if (still === null || !isOf(key, still) || !wantsPrompt(still)) return;
    if (this.#isLeaving) return;
    this.#prompting = key;
    this.#heardAt = sessions.clock.steady();
    this.link.request(
      key,
      methods.prompt,
      promptParams(agentSessionId, promptText(prompt, found)) as unknown as Json,
    );
  }

  /**
   * Gives the agent the model of this message, else the session's own. False when it cannot: the
   * launch has failed then, or the agent ends. One that another host started never told this host
   * what it offers: idle as it is, it is ended, and comes up again with its model.
   */
  async #hasModel(state: SessionState, run: RunState, agentSessionId: string): Promise<boolean> {
    const { sessions, session } = this.#options;
    const { id: runId, attempt, model } = run;
    if (this.models === null) {
      if (model === (state.runtime.messageModel ?? null)) return true;
      this.kill();
      return false;
    }
    if (model === null && !this.models.hasChoice) return true;
    try {
      const ask = (key: string, method: string, params: object) => this.ask(key, method, params);
      const key = `model/${runId}/${attempt.n}`;
      await this.models.choose(ask, agentSessionId, model ?? state.model, key);
      return true;
    } catch (error) {
      if (this.#isLeaving) return false;
      const launch = { runId, attempt: attempt.n };
      await sessions.execute(session, "failAttempt", { ...launch, error: reasonOf(error) });
      return false;
    }
  }

  /** One Continue looks once: the look of the launch serves the prompt that the launch was for. */
  #look(state: SessionState, { id }: RunState, { written }: Prompt): Promise<Found> {
    const launched = this.#launchLook;
    this.#launchLook = null;
    if (launched?.runId === id) return launched.found;
    return this.#options.look(state, written);
  }

  /** Null when it cannot be read: then the launch has failed, and is not tried for ever. */
  async #promptOf(state: SessionState, run: RunState): Promise<Prompt | null> {
    const { sessions, blobs, session } = this.#options;
    try {
      return await promptFor(sessions, blobs, session, state);
    } catch (error) {
      const launch = { runId: run.id, attempt: run.attempt.n };
      await sessions.execute(session, "failAttempt", { ...launch, error: reasonOf(error) });
      return null;
    }
  }

  #answerAll({ run }: SessionState): void {
    for (const approval of run?.approvals ?? []) {
      const over = approval.decision !== null || approval.withdrawn;
      if (over && !approval.delivered) this.#answer(approval, run?.cancel != null);
    }
  }

  #answer(approval: ApprovalState, cancelled: boolean): void {
    const { askedBy } = approval;
    const key = `answer/${approval.id}`;
    if (askedBy?.holderId !== this.holderId || this.#sent.has(key)) return;
    this.#sent.add(key);
    // To be cancelled is not to be refused: the protocol has a word of its own for it.
    const no = cancelled || approval.decision === null;
    const result = no ? cancelledPermission : permissionResult(approval);
    this.link.answer(key, askedBy.n, { result: result as unknown as Json });
  }

  /** Asks, waits a little, then kills; the outcome follows with the answer or the exit. */
  #cancel({ runtime }: SessionState, playing: string): void {
    if (this.#cancelling === playing) return;
    this.#cancelling = playing;
    const { sessions } = this.#options;
    const launch = launchOf(playing);
    const params = { sessionId: runtime.agentSessionId };
    this.link.notify(`cancel/${launch?.runId}/${launch?.attempt}`, methods.cancel, params, {
      drain: true,
    });
    sessions.clock.after(sessions.policy.cancelGrace, () => {
      if (this.#cancelling === playing && !this.#exited) this.kill();
    });
  }

  #refuse(n: number, why: "unsupported" | "cancelled", method: string): void {
    const key = `refuse/${n}`;
    if (why === "cancelled") {
      this.link.answer(key, n, { result: cancelledPermission as unknown as Json });
    } else {
      const message = `This client does not offer ${method.slice(0, 100)}.`;
      this.link.answer(key, n, { error: { code: METHOD_NOT_FOUND, message } });
    }
  }

  #prompted(key: string): void {
    if (this.#prompting === key) this.#prompting = null;
    if (this.#cancelling === key) this.#cancelling = null;
    void this.#attendAgain();
  }

  /** The prompt's run may have been over before its agent was: no event says that the next may go. */
  async #attendAgain(): Promise<void> {
    const { sessions, session, onError } = this.#options;
    try {
      await this.attend(await sessions.state(session));
    } catch (error) {
      if (!isLate(error)) onError(session, error);
    }
  }

  #replied(key: string, line: RpcLine | null): void {
    const asked = this.#asked.get(key);
    if (line === null) asked?.reject(exitedError());
    else asked?.resolve(answerOf(line));
  }

  #refused({ key, code, message }: Refused): void {
    const error = new HostError("unreachable", `Its holder refused (${code}): ${message}`);
    if (key !== null) this.#asked.get(key)?.reject(error);
  }

  #gone(reason: string): void {
    this.#exited = true;
    // The spool has done its work: the holder goes once the exit is acknowledged.
    this.link.end(killed, true);
    this.#forsake(reason);
  }

  /** Whoever waits for an answer of the agent waits for nothing. */
  #forsake(reason: string): void {
    this.#prompting = null;
    for (const { reject, promise } of this.#asked.values()) {
      promise.catch(() => undefined);
      reject(exitedError(reason));
    }
  }

  async #play(): Promise<void> {
    const { session, onError, onExit, onLost } = this.#options;
    try {
      await this.#listen();
    } catch (error) {
      onError(session, error);
    }
    this.#caughtUp.resolve();
    try {
      if (this.#exited) {
        await onExit(this);
      } else {
        this.link.close();
        this.#forsake("the link to its holder broke");
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
      // The exit is in the journal, and the host that wrote it died before it ended the holder: no
      // frame will say it again.
      if (agent === "exited") this.#gone("it ended under an earlier host");
      this.#caughtUp.resolve();
    }
    for await (const frames of this.link.frames) {
      this.#heardAt = this.#options.sessions.clock.steady();
      const taken = bytes;
      bytes = this.link.bytesRead;
      await this.#ingest.take(frames, bytes - taken);
      const before = seen;
      seen = frames.at(-1)?.n ?? seen;
      if (before < last && seen >= last) {
        await this.#ingest.flush();
        this.#caughtUp.resolve();
      }
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

function exitedError(reason = "it had ended already"): HostError {
  return new HostError("launch_failed", `The agent is gone (${reason}).`);
}
