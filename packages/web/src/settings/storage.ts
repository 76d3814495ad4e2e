/** This origin's storage; null where the browser forbids it. Some browsers throw on access. */
export function localKeys(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
