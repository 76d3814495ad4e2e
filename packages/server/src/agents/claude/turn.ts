/**
 * One prompt being answered, by one `query()` with a `claude` of its own that is gone when the turn
 * is answered. So every turn begins as the first one after a crash does, from the transcript; no
 * process of an earlier turn can write to it; and between turns nothing runs that could be lost.
 */

import {
  type AgentContext,
  type ContentBlock,
  methods,
  type RequestError,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { isObject, type JsonObject, textOf } from "../acp-shape.ts";
import type { ClaudeProcess, ClaudeProcesses } from "./children.ts";
import { messageOf } from "./message.ts";
import { brokenOff, type Ended, endOf, isLastEnd } from "./outcome.ts";
import { ask } from "./permission.ts";
import { userMessage } from "./prompt.ts";
import type { Beginning, Permission, Query, QueryOptions, Sdk, SpawnWish } from "./sdk.ts";
import { Speech } from "./speech.ts";

/** For Claude to end its turn by itself and write that down; the host kills after five seconds. */
const CANCEL_GRACE_MS = 2_000;
/** For Claude to leave after its turn; what it keeps running in the background must not hold it. */
const LEAVE_GRACE_MS = 5_000;
/** For a child that was aborted: the SDK lets it go on for two seconds before it ends it. */
const KILL_GRACE_MS = 3_000;

export interface TurnOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the settings that the workspace itself brings are obeyed. */
  readonly trustsWorkspace: boolean;
  readonly sdk: Pick<Sdk, "query">;
  readonly children: ClaudeProcesses;
  readonly client: AgentContext;
}

/** `lastMessage` is where the session can be resumed at, as it stands after this turn. */
export type TurnEnd =
  | { readonly type: "ended"; readonly ended: Ended; readonly lastMessage: string | null }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly error: RequestError };

export class Turn {
  readonly #options: TurnOptions;
  readonly #speech = new Speech();
  readonly #cancel = new AbortController();
  /** Ends the query without waiting for it. */
  readonly #abort = new AbortController();
  readonly #inputEnds = Promise.withResolvers<void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #query: Query | null = null;
  #child: ClaudeProcess | null = null;
  #ended: Ended | RequestError | null = null;
  #isOver = false;
  #lastMessage: string | null = null;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  cancel(): void {
    // Whatever ended first has ended it.
    if (this.#cancel.signal.aborted || this.#isOver) return;
    this.#cancel.abort();
    this.#timers.push(setTimeout(() => this.#abort.abort(), CANCEL_GRACE_MS));
    // One that cannot be interrupted any more, or not yet, is aborted all the same.
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

  /** Open until the turn is over: questions are answered on the same line. */
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
      ...{ cwd, env, mcpServers },
      abortController: this.#abort,
      canUseTool: (name, input, { toolUseID, signal }) =>
        this.#mayUse(name, input, toolUseID, signal),
      // It asks the person to choose between texts, for which the host has no form.
      disallowedTools: ["AskUserQuestion"],
      includePartialMessages: true,
      // Left out, another model may decide in the person's place.
      permissionMode: "default",
      // A repository's own would be obeyed unasked: it could allow calls, run hooks, send a key away.
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
    const answer = await ask(this.#options.client, question, either);
    if (answer !== "cancelled") return answer;
    this.cancel();
    return { behavior: "deny", message: "The turn was cancelled.", interrupt: true };
  }

  /** Two processes must never write to one transcript. */
  async #childGone(): Promise<void> {
    this.#inputEnds.resolve();
    this.#abort.abort();
    await this.#child?.goneWithin(KILL_GRACE_MS);
  }
}
