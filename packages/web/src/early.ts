/** What `early.js` asked for while this page's own code was still on its way. */

/** By the path that was asked for. */
export type Early = Map<string, Promise<Response>>;

/** `globalThis`, as much of it as is shared with `early.js`. */
export interface EarlyPlace {
  /** Null when it was taken. */
  holdfastEarly?: Early | null;
}

/** An answer from before there was a page tells nothing new after this. */
const EARLY_MS = 10_000;

/**
 * All of it, once. Scripts that are loaded beside each other run in any order: an `early.js` that
 * finds null comes too late, and its answers would be older than what the page knows by then.
 */
export function takeEarly(place: EarlyPlace): Early {
  const early = place.holdfastEarly ?? new Map();
  place.holdfastEarly = null;
  return early;
}

export interface AskedNow {
  readonly path: string;
  readonly method: string | undefined;
  /** Milliseconds since the page was opened. */
  readonly age: number;
}

/** Each answer is used once. */
export function earlyReply(
  early: Early,
  { path, method, age }: AskedNow,
): Promise<Response> | undefined {
  const reply = method === "GET" && age < EARLY_MS ? early.get(path) : undefined;
  early.delete(path);
  return reply;
}
