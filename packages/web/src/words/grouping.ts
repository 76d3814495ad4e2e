/** The list in its groups: who needs you first, and in each group the latest first. */

import { visibleLine } from "../text/inert.ts";
import { type Group, groups, type Judged, stateWord } from "./state.ts";

type Listed = Judged & { readonly title: string; readonly lastActiveAt: string };

export interface Grouped<S> {
  readonly group: Group;
  readonly sessions: readonly S[];
}

/** Empty groups vanish. */
export function grouped<S extends Listed>(sessions: readonly S[]): readonly Grouped<S>[] {
  return groups
    .map((group) => ({
      group,
      sessions: sessions
        .filter((session) => stateWord(session).group === group)
        .toSorted((a, b) => Date.parse(b.lastActiveAt) - Date.parse(a.lastActiveAt)),
    }))
    .filter(({ sessions }) => sessions.length > 0);
}

/** How many wait for somebody: the number in the title and on the icon. */
export function needing(sessions: readonly Judged[]): number {
  return sessions.filter((session) => stateWord(session).group === "Needs you").length;
}

/** `open` is the title of the session that the tab shows. */
export function titleWith(needs: number, open: string | null = null): string {
  const name = open === null ? "Holdfast" : `${visibleLine(open) || "Untitled"} · Holdfast`;
  return needs === 0 ? name : `(${needs}) ${name}`;
}
