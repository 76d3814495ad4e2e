/** Parses untrusted data from the network. */

import type { Event, Message, Receipt, SessionState } from "@holdfast/protocol";

export type Data = Readonly<Record<string, unknown>>;

export interface Heartbeat {
  readonly seq: number;
  /** The journal's checksum up to `seq`; null while the host does not know it yet. */
  readonly chain: number | null;
  readonly now: string;
  readonly foldVersion: number;
}

export interface Reset {
  readonly seq: number;
  readonly chain: number;
  readonly state: SessionState;
  readonly messages: readonly Message[];
  /** Absent in a reset of an earlier host. */
  readonly receipts?: readonly Receipt[];
}

/** A resume token, sent once to the caller that started the run. */
export interface RunToken {
  readonly runId: string;
  readonly token: string;
}

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

/** Checks what every kind has; a newer host may send kinds that this client does not know. */
export function isEvent(value: unknown): value is Event {
  return isObject(value) && isSeq(value.seq) && typeof value.kind === "string";
}

export function isHeartbeat(value: unknown): value is Heartbeat {
  return isObject(value) && isSeq(value.seq);
}

export function isReset(value: unknown): value is Reset {
  return (
    isObject(value) && isSeq(value.seq) && isObject(value.state) && Array.isArray(value.messages)
  );
}

export function isRunToken(value: unknown): value is RunToken {
  return isObject(value) && typeof value.token === "string";
}
