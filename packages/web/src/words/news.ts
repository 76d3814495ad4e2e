/** What a person who looks elsewhere is told of: a session that needs them, stopped, or is done. */

import { type Group, type Judged, stateWord } from "./state.ts";

export type Known = ReadonlyMap<string, Group>;

type Listed = Judged & { readonly id: string };

export function groupsOf(sessions: readonly Listed[]): Known {
  return new Map(sessions.map((session) => [session.id, stateWord(session).group]));
}

/** Those that came into a group that is told of since `before`. */
export function newsSince<S extends Listed>(before: Known, sessions: readonly S[]): readonly S[] {
  return sessions.filter((session) => {
    const was = before.get(session.id);
    const { group } = stateWord(session);
    if (was === group) return false;
    if (group === "Needs you" || group === "Stopped") return true;
    // Work that ended well. A session that was only loaded, or woke and sleeps again, is no news.
    return group === "Done" && (was === "Working" || was === "Needs you");
  });
}
