/** One value in a storage, as JSON. Null, on reading, for text that is not JSON. */
export interface JsonEntry {
  read(): unknown;
  /** Null removes the entry. A full storage changes nothing. */
  write(value: unknown): void;
}

export function jsonEntry(storage: KeyStorage, key: string): JsonEntry {
  return {
    read() {
      try {
        return JSON.parse(storage.getItem(key) ?? "null");
      } catch {
        return null;
      }
    },
    write(value) {
      try {
        if (value === null) storage.removeItem(key);
        else storage.setItem(key, JSON.stringify(value));
      } catch {
        // The storage is full; the value lasts as long as the page.
      }
    },
  };
}

export type KeyStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** This origin's storage; null where the browser forbids it. Some browsers throw on access. */
function storageNamed(name: "localStorage" | "sessionStorage"): Storage | null {
  try {
    return globalThis[name] ?? null;
  } catch {
    return null;
  }
}

export const localKeys = (): Storage | null => storageNamed("localStorage");

/** The storage of this tab, until it is closed. */
export const tabKeys = (): Storage | null => storageNamed("sessionStorage");
