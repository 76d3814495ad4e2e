/**
 * Calls that the agent ran again after a restart: printed before a question, and when the run ends.
 */

import type { Client } from "@holdfast/client";
import { type Event, outcomeOf, type RouteReply, ranAgainWords } from "@holdfast/protocol";
import { toned, type Words } from "./words.ts";

type Receipts = RouteReply<"listReceipts">["receipts"];

/** A line for each call since the latest restart, or since the first one at or after `from`. */
export function ranAgainLines(
  receipts: Receipts,
  from: number | null = null,
  told = new Set<string>(),
): Words[] {
  const restarts = receipts.filter(({ rung }) => rung !== "adopted");
  const since = from === null ? restarts.slice(-1) : restarts.filter(({ seq }) => seq >= from);
  // Hosts of earlier versions do not send `ranAgain`.
  const calls = since.flatMap(({ ranAgain = [] }) => ranAgain);
  const fresh = calls.filter(({ toolCallId }) => !told.has(toolCallId));
  for (const { toolCallId } of fresh) told.add(toolCallId);
  return fresh.map((call) => [toned("needs", "⌁ ran again: "), ranAgainWords(call)]);
}

/** Lines to print before an event. The host is asked only when a restart may have happened. */
export function tellRanAgain(client: Client, session: string, isDueAtFirst: boolean) {
  const told = new Set<string>();
  let from: number | null = null;
  let isDue = isDueAtFirst;
  return async (event: Event): Promise<Words[]> => {
    if (event.kind === "receipt.issued" && event.rung !== "adopted") {
      from ??= event.seq;
      isDue = true;
    }
    const isOver = outcomeOf(event.kind) !== undefined;
    if (!isDue || (!isOver && event.kind !== "run.waiting")) return [];
    isDue = !isOver;
    const params = { sessionId: session };
    // Following continues when the host does not answer; the next event asks again.
    const reply = await client.call("listReceipts", { params }).catch(() => null);
    return ranAgainLines(reply?.receipts ?? [], from, told);
  };
}
