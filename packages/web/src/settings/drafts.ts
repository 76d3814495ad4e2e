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

/** A draft with a text before it that was refused or came too late. */
export function withText(draft: string, text: string): string {
  return draft.trim() === "" ? text : `${text}\n\n${draft}`;
}
