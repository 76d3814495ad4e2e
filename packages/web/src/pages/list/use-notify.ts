/** Notifies a person who looks elsewhere that a session needs them, stopped, or is done. */

import { visibleLine } from "@holdfast/protocol";
import { useEffect, useRef } from "react";
import type { ListItem } from "../../components/list/session-row.tsx";
import { notify, notifyState } from "../../settings/notify.ts";
import { localKeys } from "../../storage.ts";
import { groupsOf, type Known, newsSince } from "../../words/news.ts";
import { stateWord } from "../../words/state.ts";

/** `sessions` is null until the list is loaded; the first list causes no notifications. */
export function useNotify(sessions: readonly ListItem[] | null, open: (id: string) => void): void {
  const known = useRef<Known | null>(null);
  useEffect(() => {
    if (sessions === null) return;
    const before = known.current;
    known.current = groupsOf(sessions);
    if (before === null || document.visibilityState === "visible") return;
    if (notifyState(localKeys()) !== "on") return;
    for (const session of newsSince(before, sessions)) {
      const { word, group } = stateWord(session);
      const body = `${group === "Done" ? "done" : word}: ${visibleLine(session.lastly)}`;
      const onClick = () => {
        focus();
        open(session.id);
      };
      void notify(visibleLine(session.title), body, { tag: session.id, onClick });
    }
  }, [sessions, open]);
}
