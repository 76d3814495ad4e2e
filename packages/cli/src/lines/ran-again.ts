/** Calls that the agent ran again after a restart: printed at a question, and when the run ends. */

import type { Client } from "@holdfast/client";
import { type Event, outcomeOf, type RouteReply } from "@holdfast/protocol";
import type { Words } from "../output/words.ts";
import { againLines } from "./story-words.ts";

type Receipts = RouteReply<"listReceipts">["receipts"];

/** A line for each untold call since the latest restart, or since the first one from `from` on. */
function untoldLines(receipts: Receipts, from: number | null, told: Set<string>): Words[] {
  const restarts = receipts.filter(({ rung }) => rung !== "adopted");
  const since = from === null ? restarts.slice(-1) : restarts.filter(({ seq }) => seq >= from);
  // Hosts of earlier versions do not send `ranAgain`.
  const calls = since.flatMap(({ ranAgain = [] }) => ranAgain);
  const untold = calls.filter(({ toolCallId }) => !told.has(toolCallId));
  for (const { toolCallId } of untold) told.add(toolCallId);
  return againLines(untold);
}

interface RanAgainOptions {
  readonly client: Client;
  readonly session: string;
  readonly signal: AbortSignal;
  /** True when the session may have restarted before its first event here. */
  readonly isDue: boolean;
  /** Ids of calls that the opened transcript has told already. */
  readonly told: Set<string>;
  readonly tell: (line: Words) => void;
}

/** Called with each event; asks the host only after a possible restart, and never rejects. */
export function tellRanAgain({ client, session, signal, isDue, told, tell }: RanAgainOptions) {
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
    for (const line of untoldLines(reply.receipts, from, told)) tell(line);
  };
}
