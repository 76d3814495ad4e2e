/** The messages that were still queued when the session ended: their text stays, to be copied. */

import { neverSentWords, type QueuedView } from "@holdfast/protocol";
import { MessageText } from "../../content/message-text.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

export function NeverSent({ queue }: { readonly queue: readonly QueuedView[] }) {
  if (queue.length === 0) return null;
  return (
    <section
      aria-label="Messages never sent"
      className="max-h-[40dvh] min-h-0 overflow-y-auto border-t border-hair px-4 pt-2 pb-1 wide:pr-6 wide:pl-13 wide:*:max-w-[72ch]"
    >
      <p className="text-xs text-quiet">{neverSentWords(queue.length)}</p>
      <ol>
        {queue.map(({ id, content, blob }) => (
          <li
            key={id}
            className="flex items-start gap-1 border-t border-hair text-sm first:border-t-0"
          >
            <div className="min-w-0 flex-1 py-2.5">
              <MessageText text={content} blob={blob} />
            </div>
            {/* Of a message too long for an event only the beginning is here. */}
            {blob === null && <CopyButton text={content} label="Copy this message" />}
          </li>
        ))}
      </ol>
    </section>
  );
}
