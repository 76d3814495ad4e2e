/** The title of this tab: how many sessions need somebody, and the session that is open in it. */

import { titleWith } from "../words/grouping.ts";

let needs = 0;
let name: string | null = null;

export function showNeeds(count: number): void {
  needs = count;
  document.title = titleWith(needs, name);
}

/** Null where no session is open. */
export function showName(open: string | null): void {
  name = open;
  document.title = titleWith(needs, name);
}
