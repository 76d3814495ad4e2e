/** The reading position in each session, per tab: a reload and a visit to the list return to it. */

import type { PlaceStorage, ReadingPlace } from "../components/transcript/use-place.ts";
import { jsonEntry } from "./storage.ts";

const PREFIX = "holdfast.place.";

export function placeStorage(session: string, storage = tabStorage()): PlaceStorage | null {
  if (storage === null) return null;
  const entry = jsonEntry(storage, PREFIX + session);
  return { read: () => placeOf(entry.read()), write: entry.write };
}

function placeOf(value: unknown): ReadingPlace | null {
  const { row, block, into } = (value ?? {}) as Partial<ReadingPlace>;
  const isPlace = typeof row === "string" && Number.isInteger(block) && Number.isFinite(into);
  return isPlace ? ({ row, block, into } as ReadingPlace) : null;
}

function tabStorage(): Storage | null {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}
