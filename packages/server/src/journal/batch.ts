/** Validates a batch's text. Every store does this before it looks up the session. */

import type { Batch } from "./journal.ts";
import { maxEventBytes } from "./limits.ts";
import type { StoreRefusal } from "./store-refusal.ts";

/** UTF-16 text of this length cannot be larger than `maxEventBytes` in UTF-8. */
const surelySmall = maxEventBytes / 3;

export function textRefusal({ session, text, count }: Batch): StoreRefusal | null {
  if (countNewlines(text) !== count || (text !== "" && !text.endsWith("\n"))) {
    const message = `A batch for session ${session} says ${count} events, but its text is not ${count} whole lines.`;
    return { code: "bad_input", message };
  }
  return text.length > surelySmall ? sizeRefusal(session, text) : null;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function sizeRefusal(session: string, text: string): StoreRefusal | null {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start) + 1;
    const bytes = Buffer.byteLength(text.slice(start, end));
    if (bytes > maxEventBytes) {
      const message = `An event of ${bytes} bytes for session ${session} is over ${maxEventBytes}. Store a blob and journal a preview.`;
      return { code: "too_large", message, details: { session, bytes, limit: maxEventBytes } };
    }
    start = end;
  }
  return null;
}
