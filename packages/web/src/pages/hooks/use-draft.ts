import { useState } from "react";
import { keepDraft, readDraft } from "../../settings/drafts.ts";
import { localKeys } from "../../storage.ts";

/** The draft of a session's message, saved with every keystroke. */
export function useDraft(session: string): readonly [string, (draft: string) => void] {
  const [draft, setDraft] = useState(() => readDraft(localKeys(), session));
  return [
    draft,
    (changed) => {
      setDraft(changed);
      keepDraft(localKeys(), session, changed);
    },
  ];
}
