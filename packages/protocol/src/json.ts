/** Validates and copies JSON from any source, and limits its depth. */

import { z } from "zod";

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The deepest nesting allowed: every walk here is recursive, and real input has few levels. */
export const MAX_DEPTH = 100;

export const json: z.ZodType<Json> = z.unknown().transform((value, context) => {
  try {
    return copy(value, 0);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    context.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
}) as unknown as z.ZodType<Json>;

class NotJson extends Error {}

function copy(value: unknown, depth: number): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object") throw new NotJson("is not JSON");
  if (depth >= MAX_DEPTH) throw new NotJson(`is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return Array.from(value, (item) => copy(item, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotJson("is not JSON");
  // `fromEntries` defines every key as data, also `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), copy(item, depth + 1)]),
  );
}

/** Replaces lone surrogates, in keys too: JSON allows them, but strict parsers refuse them. */
export function wellFormed<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed() as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  const entries = Object.entries(value).map(([key, item]) => [
    key.toWellFormed(),
    wellFormed(item),
  ]);
  return Object.fromEntries(entries) as T;
}
