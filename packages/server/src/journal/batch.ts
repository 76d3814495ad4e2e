/** What every store checks of a batch before it looks at the session: the shape of its text. */

import { HostError } from "@holdfast/protocol";
import type { Batch } from "./journal.ts";
import { maxEventBytes } from "./limits.ts";

/** UTF-16 text of this length cannot be larger than `maxEventBytes` in UTF-8. */
const surelySmall = maxEventBytes / 3;

export function checkBatch({ session, text, count }: Batch): void {
  if (countNewlines(text) !== count || (text !== "" && !text.endsWith("\n"))) {
    throw new HostError(
      "bad_input",
      `A batch for session ${session} says ${count} events, but its text is not ${count} whole lines.`,
    );
  }
  if (text.length > surelySmall) checkEventSizes(session, text);
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function checkEventSizes(session: string, text: string): void {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start) + 1;
    const bytes = Buffer.byteLength(text.slice(start, end));
    if (bytes > maxEventBytes) {
      throw new HostError(
        "too_large",
        `An event of ${bytes} bytes for session ${session} is over ${maxEventBytes}. Store a blob and journal a preview.`,
        { session, bytes, limit: maxEventBytes },
      );
    }
    start = end;
  }
}
