/** Unsaved edits of queued messages. A queued message may be sent while it is being edited. */

import type { QueuedView } from "@holdfast/protocol";
import type { Row } from "../line/rows.ts";
import type { WhyLeft } from "../words/queue.ts";

export interface Edit {
  readonly was: string;
  readonly text: string;
  /** `placed`: moved to the message box, because the message had left the queue. */
  readonly state: "open" | "saved" | "placed";
}

export type Edits = ReadonlyMap<string, Edit>;

/** Keeps the edits of a session over a reload. */
export interface EditStorage {
  read(): Edits;
  write(edits: Edits): void;
}

export const noEdits: Edits = new Map();

/** Starts an edit, or reopens one that was saved but is not confirmed, or was refused. */
export function begun(edits: Edits, { id, content }: Pick<QueuedView, "id" | "content">): Edits {
  const { was, text } = edits.get(id) ?? { was: content, text: content };
  return put(edits, id, { was, text, state: "open" });
}

export function put(edits: Edits, id: string, edit: Edit): Edits {
  return new Map(edits).set(id, edit);
}

export function dropped(edits: Edits, id: string): Edits {
  return new Map([...edits].filter(([one]) => one !== id));
}

/** A message that left the queue; `text` is what was sent of it. */
export interface LeftQueue {
  readonly is: WhyLeft;
  readonly text?: string;
}

/** `neverSent`: the messages that were still queued when the session ended. */
export function leftQueueOf(
  rows: readonly Row[],
  neverSent: readonly QueuedView[],
  id: string,
): LeftQueue {
  if (neverSent.some((queued) => queued.id === id)) return { is: "never_sent" };
  const row = rows.findLast((one) => one.kind === "prompt" && one.message.id === id);
  if (row?.kind === "prompt") {
    const part = row.message.contentParts[0];
    const isWhole = part?.type === "text" && part.blob === undefined;
    return isWhole ? { is: "sent", text: part.text } : { is: "unknown" };
  }
  return { is: rows[0]?.kind === "earlier" ? "unknown" : "taken_back" };
}

interface Moment {
  readonly queue: readonly QueuedView[];
  readonly whyLeft: (id: string) => LeftQueue;
  readonly draft: string;
}

/**
 * The edits without the finished ones: those that the queue or the sent message has, unchanged ones
 * whose message is gone, and those that have left the message box.
 */
export function settled(edits: Edits, { queue, whyLeft, draft }: Moment): Edits {
  const waiting = new Map(queue.map(({ id, content }) => [id, content]));
  const isDone = ([id, { was, text, state }]: [string, Edit]) => {
    const content = waiting.get(id);
    if (content !== undefined) return content === text && (state === "saved" || text !== was);
    if (state === "placed") return draft.trim() === "";
    return [was.trim(), "", whyLeft(id).text?.trim()].includes(text.trim());
  };
  const open = [...edits].filter((entry) => !isDone(entry));
  return open.length === edits.size ? edits : new Map(open);
}

/** Edits whose message is no longer in the queue. */
export function leftOf(
  edits: Edits,
  queue: readonly QueuedView[],
): readonly (readonly [string, Edit])[] {
  const waiting = new Set(queue.map(({ id }) => id));
  return [...edits].filter(([id]) => !waiting.has(id));
}
