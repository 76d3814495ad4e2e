/** Reading what an agent wrote: a value of the expected shape, or nothing. */

import type { Json } from "@holdfast/protocol";

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectAt(value: Json | undefined, key: string): { [key: string]: Json } | null {
  if (!isObject(value) || !Object.hasOwn(value, key)) return null;
  const found = value[key];
  return isObject(found) ? found : null;
}

/** Never longer than a rule takes: an id or a name beyond that is nobody's. */
export function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, 200).toWellFormed() : null;
}

export function countOf(value: Json | undefined): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** Its kind, not its title: a rule about it must fit the next call as well. */
export function toolNameOf(call: Readonly<Record<string, Json>>): string | null {
  const meta = isObject(call._meta) ? call._meta : {};
  const claude = objectAt(meta, "claudeCode");
  return textOf(claude?.toolName) ?? textOf(call.kind) ?? textOf(call.title);
}
