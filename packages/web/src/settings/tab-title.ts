/** The tab's title: the number of sessions that need a person, and the open session's name. */

import { titleWith } from "../words/grouping.ts";

let needs = 0;
let name: string | null = null;

export function showNeeds(count: number): void {
  needs = count;
  document.title = titleWith(needs, name);
}

/** Sets the open session's name; null when no session is open. */
export function showName(open: string | null): void {
  name = open;
  document.title = titleWith(needs, name);
}
