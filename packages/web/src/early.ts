/** Replies to the requests that `early.js` made while the page's own code was loading. */

type Early = Map<string, Promise<Response>>;

/** The part of `globalThis` that is shared with `early.js`. */
export interface EarlyPlace {
  /** Null after `takeEarly`. */
  holdfastEarly?: Early | null;
}

/** Early replies are used only until the page is this old in ms; later they are outdated. */
const EARLY_MS = 10_000;

/**
 * Takes all replies, once. The two scripts may run in either order: an `early.js` that finds null
 * runs too late, and its replies would be older than the page's own data.
 */
export function takeEarly(place: EarlyPlace): Early {
  const early = place.holdfastEarly ?? new Map();
  place.holdfastEarly = null;
  return early;
}

interface AskedNow {
  readonly path: string;
  readonly method: string | undefined;
  /** Milliseconds since the page was opened. */
  readonly age: number;
}

/** Returns a reply once, and removes it. */
export function earlyReply(
  early: Early,
  { path, method, age }: AskedNow,
): Promise<Response> | undefined {
  const reply = method === "GET" && age < EARLY_MS ? early.get(path) : undefined;
  early.delete(path);
  return reply;
}
