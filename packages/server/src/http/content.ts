/** A person's text as the journal takes it: whole, or its beginning beside a blob. */

import { type BlobRef, MAX_CONTENT, type SessionId } from "@holdfast/protocol";
import type { Blobs } from "../journal/blobs.ts";
import { PREVIEW } from "../session/fitting.ts";
import { jsonBytes } from "../session/rules/size.ts";

export interface Content {
  readonly content: string;
  readonly blob?: BlobRef;
}

/** The blob is on disk before anything names it. */
export async function storable(blobs: Blobs, session: SessionId, text: string): Promise<Content> {
  // Bytes, not characters: an event has room for so many of those, and two quotes.
  if (jsonBytes(text) <= MAX_CONTENT + 2) return { content: text };
  const blob = await blobs.keep(session, Buffer.from(text));
  return { content: beginning(text, PREVIEW), blob };
}

/** Never ends in half a character. */
export function beginning(text: string, most: number): string {
  const cut = text.slice(0, most);
  return cut.isWellFormed() || cut.length === text.length ? cut : cut.slice(0, -1);
}
