/** Parsers for agent output: a value of the expected shape that the journal can hold, or null. */

import type { Json } from "@holdfast/protocol";
import { canonicalJson } from "@holdfast/protocol/canonical";
import { sha256 } from "../../base/sha256.ts";

export type JsonObject = { readonly [key: string]: Json };

/** The journal's limit for nested JSON; the tests compare it with the protocol's own limit. */
const maxDepth = 100;
const maxBytes = 1024 * 1024;

/** Takes `unknown` on purpose: agent output has no type. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, key: string): JsonObject | null {
  if (!isObject(value) || !Object.hasOwn(value, key)) return null;
  const found = value[key];
  return isObject(found) ? found : null;
}

/** Truncates by copying, well-formed: a slice would keep the whole string in memory. */
export function cut(text: string, max: number): string {
  return Buffer.from(text.slice(0, max)).toString();
}

/** A name or a text for people, truncated to the length that commands accept. */
export function textOf(value: unknown, max = 200): string | null {
  return typeof value === "string" && value !== "" ? cut(value, max) : null;
}

/** A text to send back to the agent, so it is never truncated: null when it does not fit. */
export function exactTextOf(value: unknown, max = 200): string | null {
  return typeof value === "string" && value.length <= max && value.isWellFormed() ? value : null;
}

/** The id of a call; one that the journal cannot hold is replaced by a unique hash. */
export function callIdOf(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return null;
  return exactTextOf(value, 500) ?? `${cut(value, 400)}…${sha256(JSON.stringify(value))}`;
}

export function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}

/** The tool's own name or kind before its title: a rule must fit the next call too. */
export function toolNameOf(call: JsonObject): string | null {
  const claude = objectAt(objectAt(call, "_meta"), "claudeCode");
  return textOf(claude?.toolName) ?? textOf(call.kind) ?? textOf(call.title);
}

/** The tool names by which agents hand work to a subagent. */
const delegating = new Set(["Task", "Agent", "task"]);

export function handsOn(call: JsonObject): boolean {
  const claude = objectAt(objectAt(call, "_meta"), "claudeCode");
  return delegating.has(textOf(claude?.toolName) ?? textOf(call.title) ?? "");
}

/** JSON text of the value; empty when the value is nested too deep to serialize. */
export function jsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

/** A placeholder for an unshowable value; by the hash, an answer fits this value alone. */
export function unreadableValue(reason: string, sha256?: string): JsonObject {
  return { type: "unreadable", reason, ...(sha256 === undefined ? {} : { sha256 }) };
}

/** The value itself if the journal can hold it, else a placeholder. */
export function readable<T extends Json>(value: T, most = maxBytes): T | JsonObject {
  const reason = flawOf(value, most);
  return reason === null ? value : unreadableValue(reason, sha256(jsonText(value)));
}

/** Canonical JSON of a value whose only flaw is its size; null for any other value. */
export function oversizedJson(value: Json, most: number): string | null {
  if (flawOf(value, most) === null || flawOf(value, Number.POSITIVE_INFINITY) !== null) return null;
  return canonicalJson(value);
}

/** The reason why the journal cannot hold a value, or null; stops at the first flaw. */
function flawOf(value: Json, most: number): string | null {
  const tooLarge = `larger than ${most} bytes`;
  let left = most;
  const walk = (value: Json, depth: number): string | null => {
    left -= typeof value === "string" ? value.length + 2 : 1;
    if (left < 0) return tooLarge;
    // JSON.parse turns 1e999 into Infinity, which JSON cannot express.
    if (typeof value === "number" && !Number.isFinite(value)) return "a number too large";
    if (typeof value !== "object" || value === null) return null;
    if (depth >= maxDepth) return `nested deeper than ${maxDepth} levels`;
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      const flaw = walk(item, depth + 1);
      if (flaw !== null) return flaw;
    }
    return null;
  };
  return walk(value, 0) ?? (Buffer.byteLength(jsonText(value)) > most ? tooLarge : null);
}
