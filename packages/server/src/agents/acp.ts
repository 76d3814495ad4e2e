/**
 * The Agent Client Protocol, as far as it has a meaning for a run: what a holder's frame says, and
 * what is sent to an agent. Pure. Whatever an agent writes is hostile input: what does not have the
 * expected shape means nothing, and is never an exception.
 */

import type * as acp from "@agentclientprotocol/sdk";
import type {
  ApprovalDecision,
  ApprovalOption,
  ApprovalState,
  Json,
  Output,
} from "@holdfast/protocol";
import type { Frame, RpcLine } from "../holder/frames.ts";
import { countOf, isObject, objectAt, textOf, toolNameOf } from "./acp-shape.ts";
import { type KnownTools, toolOutput } from "./acp-tools.ts";

/** The stable version of the protocol; every agent tried speaks it. */
export const protocolVersion = 1;

export const methods = {
  initialize: "initialize",
  newSession: "session/new",
  loadSession: "session/load",
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

/** `tools` remembers what this turn's calls said so far; it is the only thing kept between frames. */
export function meaningOf(frame: Frame, tools: KnownTools): Meaning {
  switch (frame.k) {
    case "line":
      return lineMeaning(frame.n, frame.line, tools);
    case "response":
      return responseMeaning(frame.key, frame.line);
    case "sent": {
      const prompt = promptOf(frame.key);
      if (prompt === null) return nothing;
      tools.clear();
      return { type: "accepted", ...prompt };
    }
    case "answered": {
      const [kind, approvalId] = frame.key.split("/");
      return kind === "answer" && approvalId ? { type: "delivered", approvalId } : nothing;
    }
    case "exit":
      return { type: "exited", reason: exitReason(frame) };
    case "noise":
    case "launched":
      return nothing;
  }
}

function lineMeaning(n: number, line: RpcLine, tools: KnownTools): Meaning {
  if (line.method === methods.update) return updateMeaning(line.params, tools);
  if (line.id === undefined || line.method === undefined) return nothing;
  if (line.method === methods.permission) return permissionMeaning(n, line.params, tools);
  return { type: "unsupported", n, method: line.method };
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
      return { type: "output", output: toolOutput(update, tools) };
    case "plan":
      return part({ type: "plan", entries: update.entries ?? [] });
    case "notice":
      return part({ ...update, type: "notice" });
    default:
      return nothing;
  }
}

function chunk(type: "text" | "thinking", content: Json | undefined): Meaning {
  if (!isObject(content)) return nothing;
  if (content.type === "text" && typeof content.text === "string") {
    return { type: "output", output: [{ type, text: content.text }] };
  }
  return part({ type: "content", content });
}

function part(part: Readonly<Record<string, Json>>): Meaning {
  return { type: "output", output: [{ type: "part", part }] };
}

function permissionMeaning(n: number, params: Json | undefined, tools: KnownTools): Meaning {
  const call = objectAt(params, "toolCall") ?? {};
  const toolCallId = textOf(call.toolCallId) ?? `question-${n}`;
  const known = tools.get(toolCallId);
  const options = isObject(params) && Array.isArray(params.options) ? params.options : [];
  return {
    type: "permission",
    n,
    toolCallId,
    toolName: toolNameOf(call) ?? known?.toolName ?? "tool",
    input: call.rawInput ?? known?.input ?? { title: textOf(call.title) ?? "" },
    options: options.filter(isObject).slice(0, 16).map(optionOf),
  };
}

function optionOf(option: Readonly<Record<string, Json>>): ApprovalOption {
  return {
    id: textOf(option.optionId) ?? "",
    kind: textOf(option.kind)?.slice(0, 50) ?? "",
    name: textOf(option.name) ?? "",
  };
}

function responseMeaning(key: string, line: RpcLine): Meaning {
  const prompt = promptOf(key);
  if (prompt === null) return { type: "answer", key, line };
  if (line.error !== undefined) return { type: "failed", ...prompt, error: errorOf(line.error) };
  const result = isObject(line.result) ? line.result : {};
  const stopReason = textOf(result.stopReason) ?? "end_turn";
  return { type: "ended", ...prompt, stopReason, usage: usageOf(result) };
}

function usageOf(result: Readonly<Record<string, Json>>) {
  const usage = objectAt(result, "usage");
  if (usage === null) return null;
  const { inputTokens, outputTokens } = usage;
  return { inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens) };
}

/** The words an agent gives for its failure, and the provider's status where it tells it. */
export function errorOf(error: NonNullable<RpcLine["error"]>): AgentError {
  const data = isObject(error.data) ? error.data : {};
  const status = typeof data.status === "number" ? Math.trunc(data.status) : undefined;
  const code = textOf(data.code) ?? (error.code === -32_000 ? "auth_required" : "agent_error");
  const details = textOf(data.details) ?? textOf(data.message);
  const message = [String(error.message), details].filter((text) => text).join(": ");
  return {
    code,
    message: message.slice(0, 4000).toWellFormed() || "The agent gave no reason.",
    ...(status === undefined ? {} : { status }),
  };
}

/** How it went, and the last thing it wrote for people, which is often the only explanation. */
function exitReason(frame: Extract<Frame, { k: "exit" }>): string {
  const how = frame.signal ?? (frame.code === null ? "gone" : `exit code ${frame.code}`);
  const why = frame.reason === null ? how : `${frame.reason} (${how})`;
  const words = frame.stderr.trim().split("\n").at(-1)?.slice(0, 120).toWellFormed() ?? "";
  return words === "" || frame.reason === "asked" ? why : `${why}: ${words}`;
}

export const promptKey = (runId: string, attempt: number) => `prompt/${runId}/${attempt}`;

function promptOf(key: string): { runId: string; attempt: number } | null {
  const [kind, runId, attempt] = key.split("/");
  if (kind !== "prompt" || runId === undefined) return null;
  return { runId, attempt: Number(attempt) };
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

export const sessionIdOf = (result: Json | undefined): string | null =>
  isObject(result) ? textOf(result.sessionId) : null;

export function promptParams(sessionId: string, text: string): acp.PromptRequest {
  return { sessionId, prompt: [{ type: "text", text }] };
}

/** Always the agent's own option for this once: what lasts longer is a rule of ours. */
export function permissionResult(approval: ApprovalState): acp.RequestPermissionResponse {
  const kinds = optionKinds(approval.decision ?? "deny");
  const option = kinds
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
