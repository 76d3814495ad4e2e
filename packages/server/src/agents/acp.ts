/**
 * The Agent Client Protocol, as far as it has a meaning for a run: what a holder's frame says, and
 * what is sent to an agent. Pure. Whatever an agent writes is hostile input: what does not have the
 * expected shape means nothing, and is never an exception.
 */

import type * as acp from "@agentclientprotocol/sdk";
import {
  type ApprovalDecision,
  type ApprovalOption,
  type ApprovalState,
  isId,
  type Json,
  type Output,
} from "@holdfast/protocol";
import type { Frame, RpcLine } from "../holder/frames.ts";
import { askedFor } from "./acp-question.ts";
import {
  callIdOf,
  countOf,
  cut,
  exactTextOf,
  isObject,
  type JsonObject,
  objectAt,
  oversized,
  readable,
  textOf,
} from "./acp-shape.ts";
import { imagePart, type KnownTools, nameOf, toolOutput } from "./acp-tools.ts";
import { helpfulLine } from "./stderr.ts";

/** The stable version of the protocol; every agent tried speaks it. */
export const protocolVersion = 1;

export const methods = {
  initialize: "initialize",
  newSession: "session/new",
  loadSession: "session/load",
  setMode: "session/set_mode",
  prompt: "session/prompt",
  cancel: "session/cancel",
  update: "session/update",
  permission: "session/request_permission",
} as const;

export interface AgentError {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

/** What one frame means. */
export type Meaning =
  | { readonly type: "nothing" }
  | { readonly type: "output"; readonly output: readonly Output[] }
  | { readonly type: "accepted"; readonly runId: string; readonly attempt: number }
  | { readonly type: "delivered"; readonly approvalId: string }
  | {
      readonly type: "permission";
      readonly n: number;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Json;
      /** All of an input that is too large for an event, as canonical JSON; null for any other. */
      readonly whole: string | null;
      /** It says what exactly would run. */
      readonly exact: boolean;
      /** What it tells of the call beside asking. */
      readonly said: readonly Output[];
      readonly options: readonly ApprovalOption[];
    }
  /** Asks for something this client does not do; it must be told, or it waits for ever. */
  | { readonly type: "unsupported"; readonly n: number; readonly method: string }
  | {
      readonly type: "ended";
      readonly runId: string;
      readonly attempt: number;
      readonly stopReason: string;
      readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
      /** The agent's own id of its last message, where it tells one. */
      readonly lastMessageId: string | null;
    }
  | {
      readonly type: "failed";
      readonly runId: string;
      readonly attempt: number;
      readonly error: AgentError;
    }
  | { readonly type: "answer"; readonly key: string; readonly line: RpcLine }
  | { readonly type: "exited"; readonly reason: string };

const nothing: Meaning = { type: "nothing" };

/** A question is one event, and the most of that is its input. */
const questionBytes = 192 * 1024;

/** `tools` remembers what this turn's calls said so far; it is the only thing kept between frames. */
export function meaningOf(frame: Frame, tools: KnownTools): Meaning {
  switch (frame.k) {
    case "line":
      return lineMeaning(frame.n, frame.line, tools);
    case "response":
      return responseMeaning(frame.key, frame.line);
    case "sent": {
      const prompt = launchOf(frame.key);
      if (prompt === null) return nothing;
      tools.clear();
      return { type: "accepted", ...prompt };
    }
    case "answered": {
      const [kind, approvalId] = splitKey(frame.key);
      if (kind !== "answer" || !isId("approval", approvalId)) return nothing;
      return { type: "delivered", approvalId };
    }
    case "exit":
      return { type: "exited", reason: exitReason(frame) };
    default:
      return nothing;
  }
}

/** The line is whatever object the agent wrote: only what is looked at here is known of it. */
function lineMeaning(n: number, line: unknown, tools: KnownTools): Meaning {
  if (!isObject(line) || typeof line.method !== "string") return nothing;
  if (line.method === methods.update) return updateMeaning(line.params, tools);
  if (line.id === undefined || !Number.isSafeInteger(n) || n < 1) return nothing;
  if (line.method === methods.permission) return permissionMeaning(n, line.params, tools);
  return { type: "unsupported", n, method: cut(line.method, 200) };
}

function updateMeaning(params: Json | undefined, tools: KnownTools): Meaning {
  const update = objectAt(params, "update");
  if (update === null) return nothing;
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return chunk("text", update.content);
    case "agent_thought_chunk":
      return chunk("thinking", update.content);
    case "tool_call":
    case "tool_call_update":
      return outputMeaning(toolOutput(update, tools));
    case "plan":
      return part({ type: "plan", entries: update.entries ?? [] });
    case "notice":
      return part({ ...update, type: "notice" });
    default:
      return nothing;
  }
}

/** Text stays as it is: a character may be cut in two by the chunks, and is whole again behind. */
function chunk(type: "text" | "thinking", content: Json | undefined): Meaning {
  if (!isObject(content)) return nothing;
  if (content.type === "text" && typeof content.text === "string") {
    return outputMeaning([{ type, text: content.text }]);
  }
  if (content.type === "image") return outputMeaning([imagePart(content)]);
  return part({ type: "content", content });
}

function part(part: JsonObject): Meaning {
  return outputMeaning([{ type: "part", part: readable(part) }]);
}

function outputMeaning(output: readonly Output[]): Meaning {
  return output.length === 0 ? nothing : { type: "output", output };
}

function permissionMeaning(n: number, params: Json | undefined, tools: KnownTools): Meaning {
  const call = objectAt(params, "toolCall") ?? {};
  const toolCallId = callIdOf(call.toolCallId) ?? `question-${n}`;
  const known = tools.get(toolCallId);
  const { input, exact } = askedFor(call, known);
  const options = isObject(params) && Array.isArray(params.options) ? params.options : [];
  const asked = withoutNumbers(input, toolCallId);
  return {
    type: "permission",
    n,
    toolCallId,
    toolName: nameOf(call, known),
    said: saidOf(call, tools),
    input: readable(asked, questionBytes),
    whole: oversized(asked, questionBytes),
    exact,
    options: options.flatMap(optionOf).slice(0, 16),
  };
}

/** Some agents say only in the question what a call is for, or that there is one. */
function saidOf(call: JsonObject, tools: KnownTools): readonly Output[] {
  const { toolCallId, title, kind, rawInput, _meta } = call;
  const id = callIdOf(toolCallId);
  if (id === null || toolCallId === undefined) return [];
  // A flood of questions must not become one of calls, of which the journal takes only so many.
  if (tools.get(id) === undefined && tools.size >= MOST_ASKED) return [];
  const told = { toolCallId, title, kind, rawInput, _meta };
  return toolOutput(definedIn(told), tools);
}

const MOST_ASKED = 16;

function definedIn(told: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** What Codex' older adapter writes beside what it asks: other numbers for the same thing each time. */
const ownNumbers = new Set(["call_id", "turn_id", "process_id", "started_at_ms"]);

/** With them in it no answer would fit the same question again, nor would a standing rule. */
function withoutNumbers(input: Json, toolCallId: string): Json {
  if (!isObject(input) || input.call_id !== toolCallId) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !ownNumbers.has(name)));
}

/** An id that cannot be given back as it came is no way to answer. */
function optionOf(option: Json): ApprovalOption[] {
  const id = isObject(option) ? exactTextOf(option.optionId) : null;
  if (!isObject(option) || id === null) return [];
  return [{ id, kind: textOf(option.kind, 50) ?? "", name: textOf(option.name) ?? "" }];
}

function responseMeaning(key: string, said: unknown): Meaning {
  const prompt = launchOf(key);
  const line = answerOf(said);
  if (prompt === null) return typeof key === "string" ? { type: "answer", key, line } : nothing;
  if (line.error !== undefined) return { type: "failed", ...prompt, error: errorOf(line.error) };
  // Neither a result nor an error is not an answer: the turn must not look like a good one.
  if (line.result === undefined) return { type: "failed", ...prompt, error: errorOf(null) };
  const result = isObject(line.result) ? line.result : {};
  const stopReason = textOf(result.stopReason) ?? "end_turn";
  const own = objectAt(objectAt(result, "_meta"), "holdfast");
  const lastMessageId = exactTextOf(own?.lastMessage) || null;
  return { type: "ended", ...prompt, stopReason, usage: usageOf(result), lastMessageId };
}

/** An answer as it is meant: some agents write `"error":null` beside a result. */
export function answerOf(line: unknown): RpcLine {
  if (!isObject(line)) return {};
  const { error, ...rest } = line;
  return (error === undefined || error === null ? rest : line) as RpcLine;
}

function usageOf(result: JsonObject) {
  const usage = objectAt(result, "usage");
  if (usage === null) return null;
  const { inputTokens, outputTokens } = usage;
  return { inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens) };
}

/** The words an agent gives for its failure, and the provider's status where it tells it. */
export function errorOf(said: unknown): AgentError {
  const error: JsonObject = isObject(said) ? said : { message: said as Json };
  const data: JsonObject = isObject(error.data) ? error.data : { details: error.data ?? null };
  const { status } = data;
  const known = Number.isSafeInteger(status) && Number(status) >= 100 && Number(status) <= 599;
  const code = textOf(data.code) ?? (error.code === -32_000 ? "auth_required" : "agent_error");
  const details = wordsOf(data.details) ?? wordsOf(data.message);
  const message = [wordsOf(error.message), details].filter((words) => words !== null).join(": ");
  return {
    code,
    message: cut(message, 4000) || "The agent gave no reason.",
    ...(known ? { status: Number(status) } : {}),
  };
}

function wordsOf(value: Json | undefined): string | null {
  return textOf(typeof value === "number" ? String(value) : value, 4000);
}

/** How it went, and what it wrote for people, which is often the only explanation. */
/** As long as a rule takes it. */
const REASON = 200;

function exitReason(frame: Extract<Frame, { k: "exit" }>): string {
  const reason = textOf(frame.reason, 40);
  const code = Number.isSafeInteger(frame.code) ? `exit code ${frame.code}` : "gone";
  const how = textOf(frame.signal, 20) ?? code;
  const why = reason === null ? how : `${reason} (${how})`;
  const words = typeof frame.stderr === "string" ? helpfulLine(frame.stderr) : "";
  return words === "" || reason === "asked" ? why : cut(`${why}: ${words}`, REASON);
}

export const promptKey = (runId: string, attempt: number) => `prompt/${runId}/${attempt}`;

const splitKey = (key: unknown) => (typeof key === "string" ? key.split("/") : []);

/** The launch whose prompt goes under this key; null for any other key. */
export function launchOf(key: string): { runId: string; attempt: number } | null {
  const [kind, runId, n] = splitKey(key);
  const attempt = Number(n);
  if (kind !== "prompt" || !isId("run", runId)) return null;
  return Number.isSafeInteger(attempt) && attempt >= 1 ? { runId, attempt } : null;
}

export function initializeParams(version: string): acp.InitializeRequest {
  return {
    protocolVersion,
    clientInfo: { name: "holdfast", title: "Holdfast", version },
    clientCapabilities: {},
  };
}

export const canLoad = (result: Json | undefined): boolean =>
  objectAt(result, "agentCapabilities")?.loadSession === true;

/** A session whose id cannot be given back as it came could never be loaded. */
export const sessionIdOf = (result: Json | undefined): string | null =>
  (isObject(result) && exactTextOf(result.sessionId)) || null;

export function promptParams(sessionId: string, text: string): acp.PromptRequest {
  return { sessionId, prompt: [{ type: "text", text }] };
}

/**
 * The option that the person chose; without one, the agent's option for this once. "Always" is a rule
 * of ours, so the agent hears only the latter.
 */
export function permissionResult(approval: ApprovalState): acp.RequestPermissionResponse {
  const kinds = optionKinds(approval.decision ?? "deny");
  const chosen = approval.options.find(({ id }) => id === approval.option);
  const option =
    chosen ??
    kinds
      .map((kind) => approval.options.find((known) => known.kind === kind))
      .find((found) => found !== undefined);
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.id } };
}

export const cancelledPermission: acp.RequestPermissionResponse = {
  outcome: { outcome: "cancelled" },
};

function optionKinds(decision: ApprovalDecision): string[] {
  return decision === "deny" ? ["reject_once", "reject_always"] : ["allow_once", "allow_always"];
}
