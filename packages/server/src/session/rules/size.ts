/** Sizes as the journal counts them: bytes of JSON in UTF-8, not characters. */

import { type EventBody, HostError } from "@holdfast/protocol";
import { MAX_EVENT_BYTES } from "@holdfast/protocol/schemas";

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** Room for `seq` and `ts`, which the owner adds. */
const STAMP = 128;
/** Characters of text that always fit, at six bytes of JSON each. */
const SURELY_FITS = MAX_EVENT_BYTES / 6 - 1024;

/** The refusal of an event that is larger than the journal accepts. */
export function oversized(events: readonly EventBody[]): HostError | null {
  for (const event of events) {
    const text = textOf(event);
    if (text !== null && text.length <= SURELY_FITS) continue;
    const bytes = jsonBytes(event) + STAMP;
    if (bytes <= MAX_EVENT_BYTES) continue;
    return new HostError(
      "too_large",
      `${event.kind} would be an event of ${bytes} bytes; ${MAX_EVENT_BYTES} are the most. Store it as a blob and send a preview.`,
      { bytes, limit: MAX_EVENT_BYTES },
    );
  }
  return null;
}

/** The text of the frequent kinds, whose size is then known without encoding them. */
function textOf(event: EventBody): string | null {
  switch (event.kind) {
    case "text.appended":
    case "thinking.appended":
      return event.text;
    case "tool.updated":
      return event.input === undefined ? event.output : null;
    default:
      return null;
  }
}
