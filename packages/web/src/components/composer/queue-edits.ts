/** Unsaved edits of queued messages. A queued message may be sent while it is being edited. */

import type { QueuedView } from "@holdfast/protocol";

export interface Edit {
  /** The message's text when the edit began. */
  readonly was: string;
  readonly text: string;
  /**
   * `open`: being written. `saved`: sent to the host. `placed`: moved to the message box, because
   * the message had left the queue.
   */
  readonly state: "open" | "saved" | "placed";
}

/** Edits by message id. */
type Edits = ReadonlyMap<string, Edit>;

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

interface Moment {
  readonly queue: readonly QueuedView[];
  /** The text of a message that was sent; undefined when it is not loaded. */
  readonly sentText: (id: string) => string | undefined;
  /** The text in the message box. */
  readonly draft: string;
}

/**
 * The edits without the finished ones: those that the queue or the sent message has, unchanged ones
 * whose message is gone, and those that have left the message box.
 */
export function settled(edits: Edits, { queue, sentText, draft }: Moment): Edits {
  const waiting = new Map(queue.map(({ id, content }) => [id, content]));
  const isDone = ([id, { was, text, state }]: [string, Edit]) => {
    const content = waiting.get(id);
    if (content !== undefined) return state === "saved" && content === text;
    if (state === "placed") return draft.trim() === "";
    return [was.trim(), "", sentText(id)?.trim()].includes(text.trim());
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
