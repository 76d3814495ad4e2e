/** The reading position in each session, per tab: a reload and a visit to the list return to it. */

import type { PlaceStorage, ReadingPlace } from "../components/transcript/use-place.ts";

const PREFIX = "holdfast.place.";

export function placeStorage(session: string, storage = tabStorage()): PlaceStorage | null {
  if (storage === null) return null;
  const key = PREFIX + session;
  return {
    read: () => placeOf(storage.getItem(key)),
    write(place) {
      try {
        if (place === null) storage.removeItem(key);
        else storage.setItem(key, JSON.stringify(place));
      } catch {
        // The storage is full; the next visit begins at the end.
      }
    },
  };
}

function placeOf(text: string | null): ReadingPlace | null {
  try {
    const { row, block, into } = JSON.parse(text ?? "null") ?? {};
    const isPlace = typeof row === "string" && Number.isInteger(block) && Number.isFinite(into);
    return isPlace ? { row, block, into } : null;
  } catch {
    return null;
  }
}

function tabStorage(): Storage | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}
