/** The messages that wait in the queue, and what they wait for. */

import { count } from "@holdfast/protocol";

/** `isGoing`: a run is in progress, after which they are sent in turn. */
export function queueWords(n: number, isGoing: boolean): string {
  const wait = `${count(n, "message")} ${n === 1 ? "waits" : "wait"}`;
  if (isGoing) return `${wait} for the run to end`;
  return `${wait} until you send ${n === 1 ? "it" : "them"} or the next run ends. A new message goes first.`;
}
