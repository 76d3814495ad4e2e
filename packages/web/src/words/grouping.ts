/** The list in its groups: who needs you first, and in each group the latest first. */

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

export function titleWith(needs: number): string {
  return needs === 0 ? "Holdfast" : `(${needs}) Holdfast`;
}
