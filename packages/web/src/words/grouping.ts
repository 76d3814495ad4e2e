/** The session list in groups, in each the latest first. */

import { listedTime, type Needs, type SessionView, visibleLine } from "@holdfast/protocol";
import { type Group, groups, type Judged, stateWord } from "./state.ts";

type Listed = Judged & Pick<SessionView, "title" | "lastActiveAt" | "need">;

interface Grouped<S> {
  readonly group: Group;
  readonly sessions: readonly S[];
}

/** Empty groups are left out. */
export function grouped<S extends Listed>(sessions: readonly S[]): readonly Grouped<S>[] {
  return groups
    .map((group) => ({
      group,
      sessions: sessions
        .filter((session) => stateWord(session).group === group)
        .toSorted((a, b) => Date.parse(listedTime(b)) - Date.parse(listedTime(a))),
    }))
    .filter(({ sessions }) => sessions.length > 0);
}

/** The number of sessions that need a person, shown in the title and on the icon. */
export function needing({ waiting, interrupted, failed }: Needs): number {
  return waiting + interrupted + failed;
}

/** `open` is the title of the session that the tab shows. */
export function titleWith(needs: number, open: string | null = null): string {
  const name = open === null ? "Holdfast" : `${visibleLine(open) || "Untitled"} · Holdfast`;
  return needs === 0 ? name : `(${needs}) ${name}`;
}
