/** Changes of waiting messages, as long as they are only here. A message does not wait for its edit. */

import type { QueuedView } from "@holdfast/protocol";

export interface Edit {
  /** What stood there when it was begun. */
  readonly was: string;
  readonly text: string;
  /** Being written, given to the host, or put into the message box because the message was gone. */
  readonly state: "open" | "saved" | "placed";
}

/** By the messages they are of. */
export type Edits = ReadonlyMap<string, Edit>;

export const noEdits: Edits = new Map();

/** One that was saved and is not taken yet, or was refused, is gone on with. */
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

/** Without those that are done with: the queue has them, or the message went and nothing was changed. */
export function settled(edits: Edits, queue: readonly QueuedView[]): Edits {
  const waiting = new Map(queue.map(({ id, content }) => [id, content]));
  const isDone = ([id, { was, text, state }]: [string, Edit]) => {
    const content = waiting.get(id);
    if (content === undefined) return text.trim() === was.trim() || text.trim() === "";
    return state === "saved" && content === text;
  };
  const open = [...edits].filter((entry) => !isDone(entry));
  return open.length === edits.size ? edits : new Map(open);
}

/** Those whose message is no longer in the queue. */
export function leftOf(
  edits: Edits,
  queue: readonly QueuedView[],
): readonly (readonly [string, Edit])[] {
  const waiting = new Set(queue.map(({ id }) => id));
  return [...edits].filter(([id]) => !waiting.has(id));
}
