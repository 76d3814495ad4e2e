/**
 * Parses a holder's frames into their meaning for a run, and builds the messages sent to an agent,
 * by the Agent Client Protocol. Pure. Agent output is hostile input: a message of an unexpected
 * shape is ignored and never throws.
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
import type { Frame, RpcLine } from "../../holder/spool/frames.ts";
import { askedFor } from "./acp-question.ts";
import {
  callIdOf,
  countOf,
  cut,
  exactTextOf,
  isObject,
  type JsonObject,
  objectAt,
  oversizedJson,
  readable,
  textOf,
} from "./acp-shape.ts";
import { imagePart, type KnownTools, nameOf, toolOutput } from "./acp-tools.ts";
import { helpfulLine } from "./stderr.ts";

/** The stable version of the protocol; every tested agent supports it. */
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
      /** The complete input as canonical JSON when it is too large for an event, else null. */
      readonly whole: string | null;
      readonly exact: boolean;
      readonly said: readonly Output[];
      readonly options: readonly ApprovalOption[];
    }
  /** An unsupported request; without an error reply the agent would wait for ever. */
  | { readonly type: "unsupported"; readonly n: number; readonly method: string }
  | {
      readonly type: "ended";
      readonly runId: string;
      readonly attempt: number;
      readonly stopReason: string;
      readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
      readonly lastMessageId: string | null;
    }
  | {
      readonly type: "failed";
      readonly runId: string;
      readonly attempt: number;
      readonly error: AgentError;
      readonly way?: "rewind" | "fork" | "continue";
    }
  | { readonly type: "answer"; readonly key: string; readonly line: RpcLine }
  /** The holder froze or thawed the agent; `moving` when its processes did not stand still. */
  | { readonly type: "frozen"; readonly is: "frozen" | "thawed" | "moving" }
  | { readonly type: "exited"; readonly reason: string };

const nothing: Meaning = { type: "nothing" };

/** Limit for the input of a question, which is most of its event. */
const questionBytes = 192 * 1024;

/** Parses one frame. `tools` holds this turn's calls; it is the only state kept between frames. */
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
    case "frozen":
      return { type: "frozen", is: "frozen" };
    case "thawed":
      return { type: "frozen", is: frame.why === "not_still" ? "moving" : "thawed" };
    case "exit":
      return { type: "exited", reason: exitReason(frame) };
    default:
      return nothing;
  }
}

/** `line` is any object the agent wrote; every field is checked before use. */
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

/** Keeps the text unchanged: a character split between two chunks becomes whole when joined. */
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
    whole: oversizedJson(asked, questionBytes),
    exact,
    options: options.flatMap(optionOf).slice(0, 16),
  };
}

/** The output in a question: some agents first mention a call, or its input, there. */
function saidOf(call: JsonObject, tools: KnownTools): readonly Output[] {
  const { toolCallId, title, kind, rawInput, _meta } = call;
  const id = callIdOf(toolCallId);
  if (id === null || toolCallId === undefined) return [];
  // A flood of questions must not become a flood of calls: the journal limits the number of calls.
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

/** Fields that the older Codex adapter adds to a question, with new numbers each time. */
const ownNumbers = new Set(["call_id", "turn_id", "process_id", "started_at_ms"]);

/** Removes those numbers, so that an answer or a standing rule fits the same question again. */
function withoutNumbers(input: Json, toolCallId: string): Json {
  if (!isObject(input) || input.call_id !== toolCallId) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !ownNumbers.has(name)));
}

/** An option with an id that cannot be sent back unchanged is dropped: it could not be chosen. */
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
  // A response with neither result nor error counts as a failure.
  if (line.result === undefined) return { type: "failed", ...prompt, error: errorOf(null) };
  const result = isObject(line.result) ? line.result : {};
  const stopReason = textOf(result.stopReason) ?? "end_turn";
  const own = objectAt(objectAt(result, "_meta"), "holdfast");
  const lastMessageId = exactTextOf(own?.lastMessage) || null;
  return { type: "ended", ...prompt, stopReason, usage: usageOf(result), lastMessageId };
}

/** The response without `"error":null`, which some agents write beside a result. */
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

/** The agent's error message, and the provider's HTTP status if the agent sends it. */
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

/** The exit status and the helpful stderr line, truncated to the length that commands accept. */
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

/** The run and attempt of a prompt key; null for any other key. */
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

/** The session id of a result; null when it could not be sent back unchanged, for a load. */
export const sessionIdOf = (result: Json | undefined): string | null =>
  (isObject(result) && exactTextOf(result.sessionId)) || null;

export function promptParams(sessionId: string, text: string): acp.PromptRequest {
  return { sessionId, prompt: [{ type: "text", text }] };
}

/**
 * The option that the person chose, or else the agent's one-time option. An "always" decision is
 * kept as a rule of the host, so the agent gets the one-time option. ACP has no field for the reason
 * of a denial: it goes into `_meta`, which our bridge to Claude reads and other agents ignore.
 */
export function permissionResult(approval: ApprovalState): acp.RequestPermissionResponse {
  const { decision, reason } = approval;
  const kinds = optionKinds(decision ?? "deny");
  const chosen = approval.options.find(({ id }) => id === approval.option);
  const option =
    chosen ??
    kinds
      .map((kind) => approval.options.find((known) => known.kind === kind))
      .find((found) => found !== undefined);
  const told = decision === "deny" && reason !== null ? { _meta: { holdfast: { reason } } } : {};
  if (option === undefined) return { outcome: { outcome: "cancelled" }, ...told };
  return { outcome: { outcome: "selected", optionId: option.id }, ...told };
}

export const cancelledPermission: acp.RequestPermissionResponse = {
  outcome: { outcome: "cancelled" },
};

function optionKinds(decision: ApprovalDecision): string[] {
  return decision === "deny" ? ["reject_once", "reject_always"] : ["allow_once", "allow_always"];
}
