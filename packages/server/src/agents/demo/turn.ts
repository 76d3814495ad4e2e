/** Answers one prompt: paces, sends and remembers all output. */

import { randomUUID } from "node:crypto";
import { setImmediate as breath, setTimeout as sleep } from "node:timers/promises";
import {
  type AgentContext,
  methods,
  type PermissionOption,
  type PlanEntry,
  type SessionUpdate,
  type ToolCall,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { textContent } from "../acp/text-content.ts";
import type { Hearing } from "./hearing.ts";
import { flushed } from "./stdout.ts";
import type { Transcript } from "./transcript.ts";

/** Chunks per line of the transcript, and so the most that a kill can lose. */
const GROUP = 16;

const permissionOptions: PermissionOption[] = [
  { optionId: "allow_once", kind: "allow_once", name: "Allow" },
  { optionId: "allow_always", kind: "allow_always", name: "Always allow" },
  { optionId: "reject_once", kind: "reject_once", name: "Reject" },
];

interface DemoTurnOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly stateDirectory: string;
  readonly transcript: Transcript;
  readonly client: AgentContext;
  readonly hearing: Hearing;
  readonly paceMs: number;
  readonly wordsPerChunk: number;
  readonly crashAfter: number | undefined;
  /** A repeated request gets a different question each time. */
  readonly varies: boolean;
  /** Questions omit the input of their call. */
  readonly isVague: boolean;
  readonly isUntold: boolean;
}

export class DemoTurn {
  readonly options: DemoTurnOptions;
  readonly #abort = new AbortController();
  readonly #openTools = new Set<string>();
  #group: string[] = [];
  #chunks = 0;

  constructor(options: DemoTurnOptions) {
    this.options = options;
  }

  /** Aborted by a cancel; the methods below then throw. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  cancel(): void {
    if (!this.options.hearing.deaf) this.#abort.abort();
  }

  async say(text: string, wordsPerChunk = this.options.wordsPerChunk): Promise<void> {
    for (const chunk of chunksOf(text, wordsPerChunk)) await this.chunk(chunk);
  }

  async think(text: string): Promise<void> {
    for (const chunk of chunksOf(text, this.options.wordsPerChunk)) {
      await this.#pace();
      await this.#send({
        sessionUpdate: "agent_thought_chunk",
        content: { type: "text", text: chunk },
      });
      await this.#countChunk();
    }
  }

  async chunk(text: string): Promise<void> {
    await this.#pace();
    await this.chunkNow(text);
  }

  async chunkNow(text: string): Promise<void> {
    await this.#send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    this.#group.push(text);
    if (this.#group.length >= GROUP) this.#remember();
    await this.#countChunk();
  }

  async plan(entries: PlanEntry[]): Promise<void> {
    await this.#send({ sessionUpdate: "plan", entries });
  }

  /** Sends usage; `used` is an estimate from the transcript's length. */
  async usage(): Promise<void> {
    const used = Math.ceil(JSON.stringify(this.options.transcript.entries).length / 4);
    await this.#send({ sessionUpdate: "usage_update", used, size: 200_000 });
  }

  async startTool(tool: Omit<ToolCall, "toolCallId">): Promise<ToolCall> {
    this.signal.throwIfAborted();
    const call = { toolCallId: `call_${randomUUID()}`, ...tool };
    this.#remember();
    this.options.transcript.append({ type: "tool_started", call });
    this.#openTools.add(call.toolCallId);
    await this.#send({ sessionUpdate: "tool_call", ...call });
    return call;
  }

  /** Sends progress of a call; the transcript omits it. */
  async updateTool(update: ToolCallUpdate): Promise<void> {
    await this.#send({ sessionUpdate: "tool_call_update", ...update });
  }

  async finishTool(update: ToolCallUpdate): Promise<void> {
    this.signal.throwIfAborted();
    this.options.transcript.append({ type: "tool_finished", update });
    this.#openTools.delete(update.toolCallId);
    await this.#send({ sessionUpdate: "tool_call_update", ...update });
  }

  async ask({ toolCallId, title, kind, rawInput }: ToolCall): Promise<PermissionAnswer> {
    const toolCall: ToolCallUpdate = { toolCallId, title, status: "pending" };
    if (rawInput !== undefined) toolCall.rawInput = rawInput;
    if (kind !== undefined) toolCall.kind = kind;
    const { outcome } = await this.options.client.request(
      methods.client.session.requestPermission,
      { sessionId: this.options.sessionId, toolCall, options: permissionOptions },
      { cancellationSignal: this.signal, stopWaitingOnCancel: true },
    );
    if (outcome.outcome === "cancelled") this.cancel();
    this.signal.throwIfAborted();
    return outcome.outcome === "selected" && Object.hasOwn(answers, outcome.optionId)
      ? answers[outcome.optionId as keyof typeof answers]
      : "denied";
  }

  /** Adds a sentence and calls to the transcript without sending them; the last call has no end. */
  goOnUnheard(calls: number): void {
    this.#remember();
    this.options.transcript.append({ type: "text", text: " And so I go on." });
    for (let i = 1; i <= calls; i++) {
      const toolCallId = `call_${randomUUID()}`;
      const call = { toolCallId, title: `Unheard ${i}`, rawInput: { unheard: i } };
      this.options.transcript.append({ type: "tool_started", call });
      if (i === calls) return;
      const update: ToolCallUpdate = { toolCallId, status: "completed" };
      this.options.transcript.append({ type: "tool_finished", update });
    }
  }

  die(): void {
    process.kill(process.pid, "SIGKILL");
  }

  end(): void {
    this.signal.throwIfAborted();
    this.#remember();
    this.options.transcript.append({ type: "ended", how: "end_turn" });
  }

  async endCancelled(): Promise<void> {
    this.#remember();
    for (const toolCallId of this.#openTools) {
      const update: ToolCallUpdate = {
        toolCallId,
        status: "failed",
        content: [textContent("Cancelled.")],
      };
      this.options.transcript.append({ type: "tool_finished", update });
      await this.#notify({ sessionUpdate: "tool_call_update", ...update });
    }
    this.options.transcript.append({ type: "ended", how: "cancelled" });
  }

  endFailed(code: string): void {
    this.#remember();
    this.options.transcript.append({ type: "failed", code });
  }

  async sayLate(chunk: string): Promise<void> {
    this.options.transcript.append({ type: "text", text: chunk });
    await this.#notify({
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: chunk },
    });
  }

  async #pace(): Promise<void> {
    const { paceMs } = this.options;
    const options = { signal: this.signal };
    if (paceMs > 0) await sleep(paceMs, undefined, options);
    else await breath(undefined, options);
  }

  async #send(update: SessionUpdate): Promise<void> {
    this.signal.throwIfAborted();
    await this.#notify(update);
    // The caller must not act on this update if a cancel has arrived since.
    this.signal.throwIfAborted();
  }

  async #notify(update: SessionUpdate): Promise<void> {
    const { client, sessionId } = this.options;
    await client.notify(methods.client.session.update, { sessionId, update });
  }

  async #countChunk(): Promise<void> {
    this.#chunks += 1;
    if (this.#chunks !== this.options.crashAfter) return;
    await flushed();
    process.kill(process.pid, "SIGKILL");
  }

  #remember(): void {
    if (this.#group.length === 0) return;
    this.options.transcript.append({ type: "text", text: this.#group.join("") });
    this.#group = [];
  }
}

const answers = { allow_once: "once", allow_always: "always", reject_once: "denied" } as const;
export type PermissionAnswer = (typeof answers)[keyof typeof answers];

function chunksOf(text: string, wordsPerChunk: number): string[] {
  return text.match(new RegExp(`(?:\\s*\\S+){1,${wordsPerChunk}}(?:\\s+$)?`, "g")) ?? [];
}
