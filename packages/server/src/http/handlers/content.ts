/** Prepares a person's text for the journal: whole, or as a preview beside a blob. */

import type { BlobRef, SessionId } from "@holdfast/protocol";
import { MAX_CONTENT } from "@holdfast/protocol/schemas";
import type { Blobs } from "../../journal/blobs.ts";
import { PREVIEW } from "../../session/fitting.ts";
import { jsonBytes } from "../../session/rules/size.ts";

export interface Content {
  readonly content: string;
  readonly blob?: BlobRef;
}

/** The blob is written before an event names it. */
export async function storable(blobs: Blobs, session: SessionId, text: string): Promise<Content> {
  // Counts bytes of JSON, because events are limited in bytes; the 2 are its quotes.
  if (jsonBytes(text) <= MAX_CONTENT + 2) return { content: text };
  const blob = await blobs.keep(session, Buffer.from(text));
  return { content: beginning(text, PREVIEW), blob };
}

/** The first `most` characters, without half of a surrogate pair at the end. */
export function beginning(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.isWellFormed() || cut.length === text.length ? cut : cut.slice(0, -1);
}
