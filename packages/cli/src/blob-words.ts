/** How to see all of what is too long for an event, which has only its beginning. */

import type { BlobRef, Json } from "@holdfast/protocol";
import { hint } from "./hint.ts";
import { bytes, quiet, type Words } from "./words.ts";

export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** A line for whoever wants the rest; none where there is no more. */
export function restLines(session: string, blob: BlobRef | null | undefined): Words[] {
  // People copy commands: nothing that an agent may have made up gets into one.
  if (!blob || !isHash(blob.hash)) return [];
  const command = hint("show", session, "--blob", blob.hash);
  return [quiet(`    all ${bytes(blob.bytes)} of it: ${command}`)];
}

/** A part that was too long stands as one of type `blob`; anyone may have made another like it. */
export function partBlob({ type, hash, bytes }: Readonly<Record<string, Json>>): BlobRef | null {
  if (type !== "blob" || typeof hash !== "string" || typeof bytes !== "number") return null;
  return { hash, bytes };
}
