/** The end of a turn: a stop reason, or an error that says whether a retry may help. Pure. */

import { RequestError, type StopReason, type Usage } from "@agentclientprotocol/sdk/unstable";
import { countOf, cut, isObject, type JsonObject, objectAt, textOf } from "../acp/acp-shape.ts";

export interface Ended {
  readonly stopReason: StopReason;
  readonly usage: Usage;
}

const INTERNAL_ERROR = -32_603;
const AUTH_REQUIRED = -32_000;
const LONGEST = 4_000;

/** The result of a turn; null for a message that does not end a turn. */
export function endOf(said: unknown): Ended | RequestError | null {
  if (!isObject(said) || said.type !== "result") return null;
  if (said.subtype === "error_max_turns") return ended("max_turn_requests", said);
  // Claude reports a refusal as an API error, but it is the model's answer.
  if (said.stop_reason === "refusal") return ended("refusal", said);
  if (said.subtype !== "success" || said.is_error === true) return failedResult(said);
  return ended(said.stop_reason === "max_tokens" ? "max_tokens" : "end_turn", said);
}

/** False while another turn is queued, such as a call that a hook had deferred. */
export const isLastEnd = (said: unknown): boolean =>
  isObject(said) && countOf(said.queued_turn_count) === 0;

function ended(stopReason: StopReason, result: JsonObject): Ended {
  return { stopReason, usage: usageOf(objectAt(result, "usage") ?? {}) };
}

/** Adds cached tokens to the input tokens, and reports them separately too. */
function usageOf(usage: JsonObject): Usage {
  const cachedReadTokens = countOf(usage.cache_read_input_tokens);
  const cachedWriteTokens = countOf(usage.cache_creation_input_tokens);
  const inputTokens = countOf(usage.input_tokens) + cachedReadTokens + cachedWriteTokens;
  const outputTokens = countOf(usage.output_tokens);
  const totalTokens = inputTokens + outputTokens;
  return { inputTokens, outputTokens, totalTokens, cachedReadTokens, cachedWriteTokens };
}

function failedResult({ result, errors, api_error_status: status }: JsonObject): RequestError {
  const listed = Array.isArray(errors) ? errors.filter((line) => typeof line === "string") : [];
  return failure(
    textOf(result, LONGEST) ?? (listed.join("\n") || "Claude gave no reason."),
    status,
  );
}

/** The error of a query that failed. The reason is often only on the process's stderr. */
export function brokenOff(error: unknown, stderr: string): RequestError {
  const words = error instanceof Error ? error.message : String(error);
  return failure(
    stderr === "" || words.includes(stderr) ? words : `${words}: ${stderr}`,
    undefined,
  );
}

function failure(words: string, status: unknown): RequestError {
  const code = status === 401 || status === 403 ? AUTH_REQUIRED : INTERNAL_ERROR;
  const data = typeof status === "number" ? { status } : undefined;
  return new RequestError(code, cut(words, LONGEST), data);
}
