/** Sessions to notify a person about: those that need them, stopped, or are done. */

import { type Group, type Judged, stateWord } from "./state.ts";

export type Known = ReadonlyMap<string, Group>;

type Listed = Judged & { readonly id: string };

export function groupsOf(sessions: readonly Listed[]): Known {
  return new Map(sessions.map((session) => [session.id, stateWord(session).group]));
}

/** The sessions whose group has changed to one of these since `before`. */
export function newsSince<S extends Listed>(before: Known, sessions: readonly S[]): readonly S[] {
  return sessions.filter((session) => {
    const was = before.get(session.id);
    const { group } = stateWord(session);
    if (was === group) return false;
    if (group === "Needs you" || group === "Stopped") return true;
    // Finished work. A session that was only loaded, or revived and paused again, is left out.
    return group === "Done" && (was === "Working" || was === "Needs you");
  });
}
