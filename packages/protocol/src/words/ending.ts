/** Words that a person reads before ending a session. */

import { shortLine } from "./tool.ts";

/** Messages that are named; the others are counted. */
const NAMED = 5;
/** Characters of a message that are shown. */
const SHOWN = 60;

/** The effect of the end, and the queued messages that it leaves unsent. */
export function endingWords(queued: readonly { readonly content: string }[]): string {
  return `${unsentWords(queued)}${final}`;
}

const final =
  "An ended session cannot be resumed. You can read it until the host removes it (default: after 30 days). Files stay where they are.";

function unsentWords(queued: readonly { readonly content: string }[]): string {
  if (queued.length === 0) return "";
  const names = queued.slice(0, NAMED).map(({ content }) => `“${shortLine(content, SHOWN)}”`);
  const more = queued.length - names.length;
  const all = [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return queued.length === 1
    ? `1 queued message will not be sent, but you can still read it: ${all}. `
    : `${queued.length} queued messages will not be sent, but you can still read them: ${all}. `;
}

/** After the end: the number of queued messages that it left unsent. */
export function neverSentWords(queued: number): string {
  return queued === 1 ? "1 message was never sent" : `${queued} messages were never sent`;
}
