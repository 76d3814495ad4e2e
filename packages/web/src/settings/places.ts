/** The reading position in each session, per tab: a reload and a visit to the list return to it. */

import { jsonEntry, tabKeys } from "../storage.ts";

export interface ReadingPlace {
  readonly row: string;
  /** The index of the block within the row; 0 for a row that is not Markdown. */
  readonly block: number;
  /** The pixels of the block that are above the upper edge. */
  readonly into: number;
}

/** Stores the reading position per tab, until it is closed, as `sessionStorage` does. */
export interface PlaceStorage {
  read(): ReadingPlace | null;
  write(place: ReadingPlace | null): void;
}

const PREFIX = "holdfast.place.";

export function placeStorage(session: string, storage = tabKeys()): PlaceStorage | null {
  if (storage === null) return null;
  const entry = jsonEntry(storage, PREFIX + session);
  return { read: () => placeOf(entry.read()), write: entry.write };
}

function placeOf(value: unknown): ReadingPlace | null {
  const { row, block, into } = (value ?? {}) as Partial<ReadingPlace>;
  const isPlace = typeof row === "string" && Number.isInteger(block) && Number.isFinite(into);
  return isPlace ? ({ row, block, into } as ReadingPlace) : null;
}
