/**
 * Answers one prompt by one `query()` with its own `claude` process, which exits before the turn is
 * answered. Every turn therefore starts from the transcript, as after a crash; a process of an
 * earlier turn cannot write to it; and between turns there is no process to lose.
 */

import {
  type AgentContext,
  type ContentBlock,
  methods,
  type RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { isObject, type JsonObject, textOf } from "../acp/acp-shape.ts";
import type { ClaudeProcess, ClaudeProcesses } from "./children.ts";
import { messageOf } from "./message.ts";
import { brokenOff, type Ended, endOf, isLastEnd } from "./outcome.ts";
import { askPermission } from "./permission.ts";
import { userMessage } from "./prompt.ts";
import type { Beginning, Permission, Query, QueryOptions, Sdk, SpawnWish } from "./sdk.ts";
import { Speech } from "./speech.ts";

/** Time for Claude to end its turn and write its transcript; the host kills after five seconds. */
const CANCEL_GRACE_MS = 2_000;
/** Time for Claude to exit after its turn; background work must not hold it longer. */
const LEAVE_GRACE_MS = 5_000;
/** Time for an aborted child: the SDK itself waits two seconds before it ends it. */
const KILL_GRACE_MS = 3_000;

interface ClaudeTurnOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trustsWorkspace: boolean;
  readonly sdk: Pick<Sdk, "query">;
  readonly children: ClaudeProcesses;
  readonly client: AgentContext;
}

/** The end of a turn. `lastMessage` is the message at which the session can later be resumed. */
export type TurnEnd =
  | { readonly type: "ended"; readonly ended: Ended; readonly lastMessage: string | null }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly error: RequestError };

export class ClaudeTurn {
  readonly #options: ClaudeTurnOptions;
  readonly #speech = new Speech();
  readonly #cancel = new AbortController();
  readonly #abort = new AbortController();
  readonly #inputEnds = Promise.withResolvers<void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #query: Query | null = null;
  #child: ClaudeProcess | null = null;
  #ended: Ended | RequestError | null = null;
  #isOver = false;
  #lastMessage: string | null = null;

  constructor(options: ClaudeTurnOptions) {
    this.#options = options;
  }

  cancel(): void {
    // Only the first cancel counts, and only before the turn is over.
    if (this.#cancel.signal.aborted || this.#isOver) return;
    this.#cancel.abort();
    this.#timers.push(setTimeout(() => this.#abort.abort(), CANCEL_GRACE_MS));
    // If the query cannot be interrupted, the timer above aborts it.
    this.#query?.interrupt().catch(() => undefined);
  }

  async run(prompt: readonly ContentBlock[], beginning: Beginning): Promise<TurnEnd> {
    let broken: RequestError | null = null;
    try {
      await this.#listen(prompt, beginning);
    } catch (error) {
      broken = brokenOff(error, this.#child?.stderr ?? "");
    }
    await this.#childGone();
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#cancel.signal.aborted) {
      for (const update of this.#speech.cutOff("Cancelled.")) await this.#tell(update);
      return { type: "cancelled" };
    }
    const ended =
      this.#ended ??
      broken ??
      brokenOff("Claude left without an answer", this.#child?.stderr ?? "");
    if (ended instanceof Error) return { type: "failed", error: ended };
    return { type: "ended", ended, lastMessage: this.#lastMessage };
  }

  async #listen(prompt: readonly ContentBlock[], beginning: Beginning): Promise<void> {
    const input = this.#input(prompt);
    this.#query = this.#options.sdk.query({
      prompt: input,
      options: this.#queryOptions(beginning),
    });
    if (this.#cancel.signal.aborted) this.#abort.abort();
    for await (const said of this.#query) await this.#hear(said);
  }

  /** The prompt; its input stays open in the turn, for the SDK's permission answers. */
  async *#input(prompt: readonly ContentBlock[]) {
    yield userMessage(prompt);
    await this.#inputEnds.promise;
  }

  async #hear(said: unknown): Promise<void> {
    this.#lastMessage = messageOf(said)?.uuid ?? this.#lastMessage;
    for (const update of this.#speech.hear(said)) await this.#tell(update);
    const ended = endOf(said);
    if (ended === null || this.#isOver) return;
    this.#ended = ended;
    this.#isOver = isLastEnd(said);
    if (!this.#isOver) return;
    this.#inputEnds.resolve();
    this.#timers.push(setTimeout(() => this.#abort.abort(), LEAVE_GRACE_MS));
  }

  async #tell(update: SessionUpdate): Promise<void> {
    const { client, sessionId } = this.#options;
    await client.notify(methods.client.session.update, { sessionId, update });
  }

  #queryOptions(beginning: Beginning): QueryOptions {
    const { cwd, env, mcpServers } = this.#options;
    return {
      ...beginning,
      cwd,
      env,
      mcpServers,
      abortController: this.#abort,
      canUseTool: (name, input, { toolUseID, signal }) =>
        this.#mayUse(name, input, toolUseID, signal),
      // This tool asks the person to choose between texts, for which the host has no form.
      disallowedTools: ["AskUserQuestion"],
      includePartialMessages: true,
      // Without an explicit mode another model may decide instead of the person.
      permissionMode: "default",
      // Project settings take effect without asking: they can allow calls, run hooks, or send a key
      // away.
      settingSources: this.#options.trustsWorkspace ? ["user", "project", "local"] : ["user"],
      spawnClaudeCodeProcess: (wish) => this.#spawn(wish),
    };
  }

  #spawn(wish: SpawnWish) {
    this.#child = this.#options.children.spawn(wish);
    return this.#child.process;
  }

  async #mayUse(
    name: unknown,
    input: unknown,
    id: unknown,
    signal: AbortSignal,
  ): Promise<Permission> {
    const question = {
      sessionId: this.#options.sessionId,
      toolCallId: textOf(id, 500) ?? "tool",
      toolName: textOf(name) ?? "tool",
      input: (isObject(input) ? input : {}) as JsonObject,
    };
    const either = AbortSignal.any([signal, this.#cancel.signal]);
    const answer = await askPermission(this.#options.client, question, either);
    if (answer !== "cancelled") return answer;
    this.cancel();
    return { behavior: "deny", message: "The turn was cancelled.", interrupt: true };
  }

  /** Waits for the child to exit: two processes must never write to one transcript. */
  async #childGone(): Promise<void> {
    this.#inputEnds.resolve();
    this.#abort.abort();
    await this.#child?.goneWithin(KILL_GRACE_MS);
  }
}
