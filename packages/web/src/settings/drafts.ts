/** Message drafts per session; they survive a reload and a decision in between. */

const PREFIX = "holdfast.draft.";

type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export function readDraft(storage: DraftStorage | null, session: string): string {
  return storage?.getItem(PREFIX + session) ?? "";
}

export function keepDraft(storage: DraftStorage | null, session: string, draft: string): void {
  try {
    if (draft === "") storage?.removeItem(PREFIX + session);
    else storage?.setItem(PREFIX + session, draft);
  } catch {
    // The storage is full; the draft lasts as long as the page.
  }
}

/** A draft with a refused message before it, which is to be corrected. */
export function withRefused(draft: string, refused: string): string {
  return draft.trim() === "" ? refused : `${refused}\n\n${draft}`;
}
