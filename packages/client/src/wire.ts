/** Parses untrusted data from the network. */

import type { Event } from "@holdfast/protocol";

export type Data = Readonly<Record<string, unknown>>;

/** Null for anything other than one JSON object. */
export function parseObject(text: string): Data | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function seqOf(value: unknown): number | null {
  return isSeq(value) ? value : null;
}

/** Checks what every kind has; a newer host may send kinds that this client does not know. */
export function isEvent(value: unknown): value is Event {
  return isObject(value) && isSeq(value.seq) && typeof value.kind === "string";
}
