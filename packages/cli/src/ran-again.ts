/** Calls that the agent ran again after a restart: printed at a question, and when the run ends. */

import type { Client } from "@holdfast/client";
import {
  type Event,
  outcomeOf,
  type RanAgain,
  type RouteReply,
  ranAgainWords,
} from "@holdfast/protocol";
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
  return againLines(fresh);
}

export function againLines(calls: readonly RanAgain[]): Words[] {
  return ranAgainWords(calls).map((line) => [toned("needs", "⌁ ran again: "), line]);
}

interface RanAgainOptions {
  readonly client: Client;
  readonly session: string;
  readonly signal: AbortSignal;
  /** True when the session may have restarted before its first event here. */
  readonly isDue: boolean;
  readonly tell: (line: Words) => void;
}

/**
 * Called with each event. The host is asked only when a restart may have happened; the promise
 * resolves when it has replied, and never rejects.
 */
export function tellRanAgain({ client, session, signal, isDue, tell }: RanAgainOptions) {
  const told = new Set<string>();
  let from: number | null = null;
  /** The seq of the latest restart to ask about; 0 for one before the first event. */
  let due = isDue ? 0 : null;
  return async (event: Event): Promise<void> => {
    if (event.kind === "receipt.issued" && event.rung !== "adopted") {
      from ??= event.seq;
      due = event.seq;
    }
    const isOver = outcomeOf(event.kind) !== undefined;
    if (due === null || (!isOver && event.kind !== "run.waiting")) return;
    const asked = due;
    const call = { params: { sessionId: session }, signal };
    const reply = await client.call("listReceipts", call).catch(() => null);
    // Without a reply, the next question or outcome asks again.
    if (reply === null) return;
    if (isOver && due === asked) due = null;
    for (const line of ranAgainLines(reply.receipts, from, told)) tell(line);
  };
}
