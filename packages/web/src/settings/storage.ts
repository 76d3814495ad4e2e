/** This origin's storage, or null where the browser forbids it: some throw for asking. */
export function localKeys(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
