/**
 * Reading what an agent wrote: a value of the expected shape, or nothing. What is kept is always
 * within the limits of the journal, whatever was written.
 */

import { createHash } from "node:crypto";
import { canonicalJson, type Json } from "@holdfast/protocol";

export type JsonObject = { readonly [key: string]: Json };

/** As deep as the journal takes JSON; the tests hold it against the protocol's own limit. */
const maxDepth = 100;
const maxBytes = 1024 * 1024;

/** Of unknown things on purpose: no type says what an agent may have written. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, key: string): JsonObject | null {
  if (!isObject(value) || !Object.hasOwn(value, key)) return null;
  const found = value[key];
  return isObject(found) ? found : null;
}

/** Copied, because a slice would keep the whole alive; the copy is well-formed as well. */
export function cut(text: string, max: number): string {
  return Buffer.from(text.slice(0, max)).toString();
}

/** For people, or a name: never longer than a rule takes, since beyond that it is nobody's. */
export function textOf(value: unknown, max = 200): string | null {
  return typeof value === "string" && value !== "" ? cut(value, max) : null;
}

/** For what is given back to the agent: another text than its own would name something else. */
export function exactTextOf(value: unknown, max = 200): string | null {
  return typeof value === "string" && value.length <= max && value.isWellFormed() ? value : null;
}

/** A call's id; one that the journal cannot hold becomes another, which is still its alone. */
export function callIdOf(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return null;
  return exactTextOf(value, 500) ?? `${cut(value, 400)}…${hashOf(JSON.stringify(value))}`;
}

export function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}

/** Its kind, not its title: a rule about it must fit the next call as well. */
export function toolNameOf(call: JsonObject): string | null {
  const claude = objectAt(objectAt(call, "_meta"), "claudeCode");
  return textOf(claude?.toolName) ?? textOf(call.kind) ?? textOf(call.title);
}

/** What agents call the tool that lets another agent do the work. */
const delegating = new Set(["Task", "Agent", "task"]);

export function handsOn(call: JsonObject): boolean {
  const claude = objectAt(objectAt(call, "_meta"), "claudeCode");
  return delegating.has(textOf(claude?.toolName) ?? textOf(call.title) ?? "");
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Empty for what is nested too deep even to be written. */
export function jsonText(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

/** In place of what cannot be shown; the hash keeps an answer about one from fitting another. */
export function unreadable(reason: string, sha256?: string): JsonObject {
  return { type: "unreadable", reason, ...(sha256 === undefined ? {} : { sha256 }) };
}

/** The value itself, if the journal can hold it. */
export function readable<T extends Json>(value: T, most = maxBytes): T | JsonObject {
  const reason = flawOf(value, most);
  return reason === null ? value : unreadable(reason, hashOf(jsonText(value)));
}

/**
 * All of a value that only its size keeps from being journalled, as canonical JSON; null for one that
 * is small enough, and for one that is flawed in another way.
 */
export function oversized(value: Json, most: number): string | null {
  if (flawOf(value, most) === null || flawOf(value, Number.POSITIVE_INFINITY) !== null) return null;
  return canonicalJson(value);
}

/** The walk stops at the first flaw, so that only what is nearly small enough is ever written out. */
function flawOf(value: Json, most: number): string | null {
  const tooLarge = `larger than ${most} bytes`;
  let left = most;
  const walk = (value: Json, depth: number): string | null => {
    left -= typeof value === "string" ? value.length + 2 : 1;
    if (left < 0) return tooLarge;
    // JSON.parse makes this of 1e999, and no JSON can be made of it again.
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
