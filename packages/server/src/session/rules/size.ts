/** Sizes as the journal sees them: bytes of JSON in UTF-8, never characters. */

import { type EventBody, HostError, MAX_EVENT_BYTES } from "@holdfast/protocol";

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** `seq` and `ts` are added later. */
const STAMP = 128;
/** A character is at most six bytes of JSON; the rest of an event that only carries text is small. */
const SURELY_FITS = MAX_EVENT_BYTES / 6 - 1024;

/** An event that the journal would refuse is never decided. */
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

/** The frequent kinds, which must not be encoded twice to be measured. */
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
