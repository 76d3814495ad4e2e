/** Tells a person who looks elsewhere that a session needs them. */

import { useEffect, useRef } from "react";
import type { ListItem } from "../components/session-row.tsx";
import { notifyState } from "../settings/notify.ts";
import { localKeys } from "../settings/storage.ts";
import { visibleLine } from "../text/inert.ts";
import { type Group, stateWord } from "../words/state.ts";

/** In these nothing goes on until somebody does something. */
const telling: ReadonlySet<Group> = new Set(["Needs you", "Stopped"]);

export function useNotify(sessions: readonly ListItem[], open: (id: string) => void): void {
  /** Null until the list was seen once: what needed somebody before is no news. */
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const needs = sessions.filter((session) => telling.has(stateWord(session).group));
    const before = known.current;
    known.current = new Set(needs.map(({ id }) => id));
    if (before === null || document.visibilityState === "visible") return;
    if (notifyState(localKeys()) !== "on") return;
    for (const session of needs) {
      if (before.has(session.id)) continue;
      const body = `${stateWord(session).word}: ${visibleLine(session.lastly)}`;
      const notice = new Notification(visibleLine(session.title), { body, tag: session.id });
      notice.onclick = () => {
        focus();
        open(session.id);
      };
    }
  }, [sessions, open]);
}
