/** The command that shows a whole blob, for text of which an event holds only the beginning. */

import { type BlobRef, bytes, type Json } from "@holdfast/protocol";
import { hint } from "../hint.ts";
import { quiet, type Words } from "../output/words.ts";

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** A line with the command that shows the rest; empty without a valid blob. */
export function restLines(session: string, blob: BlobRef | null | undefined): Words[] {
  // People copy commands, so only a valid hash may stand in one: the agent may have made it up.
  if (!blob || !isHash(blob.hash)) return [];
  const command = hint("show", session, "--blob", blob.hash);
  return [quiet(`    show all ${bytes(blob.bytes)}: ${command}`)];
}

/** The blob of a part that was too long for an event. An agent may forge such a part. */
export function partBlob({ type, hash, bytes }: Readonly<Record<string, Json>>): BlobRef | null {
  if (type !== "blob" || typeof hash !== "string" || typeof bytes !== "number") return null;
  return { hash, bytes };
}
