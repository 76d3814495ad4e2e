/** Message drafts and unsaved edits of queued messages, per session, over a reload. */

import { jsonEntry, type KeyStorage, localKeys } from "../storage.ts";
import { type Edit, type EditStorage, type Edits, noEdits } from "./queue-edits.ts";

const PREFIX = "holdfast.draft.";
const EDITS_PREFIX = "holdfast.edits.";

/** A session keeps at most this many edits; the newest are kept. */
const MAX_EDITS = 20;

export function readDraft(storage: KeyStorage | null, session: string): string {
  return storage?.getItem(PREFIX + session) ?? "";
}

export function keepDraft(storage: KeyStorage | null, session: string, draft: string): void {
  try {
    if (draft === "") storage?.removeItem(PREFIX + session);
    else storage?.setItem(PREFIX + session, draft);
  } catch {
    // The storage is full; the draft lasts as long as the page.
  }
}

/** A draft with a text before it that was refused or came too late. */
export function withText(draft: string, text: string): string {
  return draft.trim() === "" ? text : `${text}\n\n${draft}`;
}

export function editStorage(
  session: string,
  storage: KeyStorage | null = localKeys(),
): EditStorage | null {
  if (storage === null) return null;
  const entry = jsonEntry(storage, EDITS_PREFIX + session);
  // This tab's edits when last read or written; other tabs may keep edits of the same session.
  let own = noEdits;
  return {
    read() {
      own = editsOf(entry.read());
      return own;
    },
    write(edits) {
      const all = new Map(editsOf(entry.read()));
      for (const id of own.keys()) if (!edits.has(id)) all.delete(id);
      for (const [id, edit] of edits) if (own.get(id) !== edit) all.set(id, edit);
      own = edits;
      entry.write(all.size === 0 ? null : [...all].slice(-MAX_EDITS));
    },
  };
}

/** A saved edit opens again: the reload may have cut off its request. */
function editsOf(value: unknown): Edits {
  if (!Array.isArray(value)) return noEdits;
  const kept = value.flatMap((entry: unknown) => {
    const [id, edit]: unknown[] = Array.isArray(entry) ? entry : [];
    const { was, text, state } = (edit ?? {}) as Partial<Edit>;
    if (typeof id !== "string" || typeof was !== "string" || typeof text !== "string") return [];
    return [[id, { was, text, state: state === "placed" ? state : "open" }] as const];
  });
  return new Map(kept);
}
