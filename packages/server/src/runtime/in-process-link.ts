/** The link to an agent inside this process, for one turn; its frames are already decoded. */

import type { ApprovalState, Json, WaitResult } from "@holdfast/protocol";
import type { Agent, AgentSays, Turn } from "../agents/agent.ts";
import { reasonOf } from "../session/refusals.ts";
import type { AgentLink, RunAttempt, SaidFrame, SentPrompt } from "./agent-link.ts";

type Said = SaidFrame["said"];

export class InProcessLink implements AgentLink {
  readonly hello = { last: 0, agent: "running", pending: [] } as const;
  readonly frames: AsyncIterable<readonly SaidFrame[]>;
  readonly bytesRead = 0;
  readonly #agent: Agent;
  readonly #onError: (error: unknown) => void;
  #launch: RunAttempt | null = null;
  #turn: Turn | null = null;
  /** Results that the prompt carried; they are delivered once the agent accepts it. */
  #results: readonly WaitResult[] = [];
  #isAccepted = false;
  #isOver = false;
  #isClosed = false;
  #killed: Promise<void> | null = null;
  #n = 0;
  #isPulling = false;
  readonly #waiting: SaidFrame[] = [];
  /** Resumes the reader of `frames`. */
  #changed: () => void = () => undefined;

  constructor(agent: Agent, onError: (error: unknown) => void) {
    this.#agent = agent;
    this.#onError = onError;
    this.frames = this.#read();
  }

  get launch(): (RunAttempt & { readonly isAccepted: boolean }) | null {
    return this.#launch === null ? null : { ...this.#launch, isAccepted: this.#isAccepted };
  }

  get isOver(): boolean {
    return this.#isOver || this.#isClosed || this.#launch !== null;
  }

  /** Resolves when the turn, if there was one, is killed; a turn that ended needs no kill. */
  async gone(): Promise<void> {
    if (this.#turn !== null && !this.#isOver) await this.#kill(this.#turn);
  }

  prompt(_key: string, { prompt, results }: SentPrompt): void {
    const { runId, attempt } = prompt;
    this.#launch = { runId, attempt };
    this.#results = results;
    try {
      this.#turn = this.#agent.prompt(prompt);
    } catch (error) {
      this.#failed(error);
    }
    this.#changed();
  }

  cancel(): void {
    try {
      this.#turn?.cancel();
    } catch (error) {
      this.#onError(error);
      this.end();
    }
  }

  answer(_key: string, { id, toolCallId, decision }: ApprovalState): void {
    if (decision === null) return;
    this.#turn?.answer(toolCallId, decision === "deny" ? "deny" : "allow");
    this.#add({ type: "answered", approvalId: id });
  }

  resume(waitId: string, result: Json): void {
    this.#turn?.resume(result);
    this.#add({ type: "resumed", waitId });
  }

  /** Ends the turn; the end of its stream follows. Without a turn the link is over at once. */
  end(): void {
    if (this.#turn === null) this.close();
    else this.#kill(this.#turn).catch((error: unknown) => this.#onError(error));
  }

  close(): void {
    this.#isClosed = true;
    if (this.#turn !== null && !this.#isOver) this.end();
    this.#changed();
  }

  drop(): void {
    this.close();
  }

  /** An agent inside this process cannot be stopped without the host. */
  setFrozen(): boolean {
    return false;
  }

  // The rest is for agents in holders: these frames need no acknowledgement, and this agent sends
  // and gets no requests.
  refuse(): void {}
  answered(): void {}
  rejectRequests(): void {}
  ack(): void {}

  #kill(turn: Turn): Promise<void> {
    // A kill that throws at once is a rejection like any other; the next end tries again.
    this.#killed ??= (async () => turn.kill())().catch((error: unknown) => {
      this.#killed = null;
      throw error;
    });
    return this.#killed;
  }

  #add(said: Said): void {
    if (this.#launch === null) return;
    this.#waiting.push({ n: ++this.#n, k: "said", launch: this.#launch, said });
    this.#changed();
  }

  #failed(error: unknown): void {
    this.#onError(error);
    this.#add({ type: "failed", error: reasonOf(error) });
    this.#isOver = true;
  }

  /** Pulls the agent's next words only when the reader wants more. */
  async *#read(): AsyncGenerator<readonly SaidFrame[], void, void> {
    let says: AsyncIterator<AgentSays> | null = null;
    while (!(this.#isClosed || this.#isOver) || this.#waiting.length > 0) {
      if (this.#waiting.length > 0) {
        yield this.#waiting.splice(0);
        continue;
      }
      if (this.#turn !== null && !this.#isPulling) {
        says ??= this.#turn.says[Symbol.asyncIterator]();
        void this.#pull(says);
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    if (this.#isOver) says?.return?.().catch(() => undefined);
  }

  /** Never rejects. */
  async #pull(says: AsyncIterator<AgentSays>): Promise<void> {
    this.#isPulling = true;
    try {
      const next = await says.next();
      if (next.done === true) this.#stopped();
      else this.#heard(next.value);
    } catch (error) {
      await this.#threw(error).catch((failure: unknown) => this.#failed(failure));
    }
    this.#isPulling = false;
    this.#changed();
  }

  #heard(said: AgentSays): void {
    this.#add(said);
    if (said.type === "accepted") {
      this.#isAccepted = true;
      for (const { waitId } of this.#results) this.#add({ type: "resumed", waitId });
    }
    this.#isOver = said.type === "ended" || said.type === "failed";
  }

  #stopped(): void {
    this.#add(this.#lastWords());
    this.#isOver = true;
  }

  /** The stream of a sound agent does not throw; this one is ended before its run fails. */
  async #threw(error: unknown): Promise<void> {
    await this.gone();
    this.#failed(error);
  }

  /** The stream stopped without an end: the agent is gone, or never took the prompt. */
  #lastWords(): Said {
    if (this.#isAccepted || this.#killed !== null) {
      return { type: "exited", reason: "its stream ended" };
    }
    const message = "The agent stopped before it received the message.";
    return { type: "failed", error: { code: "launch_failed", message } };
  }
}
