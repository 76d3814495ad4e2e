/** Output too large for an event becomes a preview and a blob that is on disk before anything names it. */

import type { BlobRef, Output, SessionId } from "@holdfast/protocol";
import type { Blobs } from "../journal/blobs.ts";

/** What stays in the journal of an output that went into a blob. */
export const PREVIEW = 4096;
/** Above this an output goes into a blob: a few fit in one event, with room for JSON's escapes. */
export const INLINE = 32 * 1024;

/** The output as an event can hold it; a blob is on disk before anything names it. */
export async function fitting(blobs: Blobs, session: SessionId, item: Output): Promise<Output> {
  const store = (text: string): Promise<BlobRef> => blobs.put(session, Buffer.from(text));
  switch (item.type) {
    case "tool_finished":
      return item.output.length <= INLINE
        ? item
        : { ...item, output: preview(item.output), blob: await store(item.output) };
    case "tool_updated": {
      const shown = item.output.length <= INLINE ? item : { ...item, output: preview(item.output) };
      const input = item.input === undefined ? "" : JSON.stringify(item.input);
      if (input.length <= INLINE) return shown;
      return { ...shown, input: preview(input), blob: await store(input) };
    }
    case "tool_started": {
      const input = JSON.stringify(item.input);
      if (input.length <= INLINE) return item;
      return { ...item, input: preview(input), blob: await store(input) };
    }
    case "part": {
      const part = JSON.stringify(item.part);
      if (part.length <= INLINE) return item;
      const { hash, bytes } = await store(part);
      return { ...item, part: { type: "blob", preview: preview(part), hash, bytes } };
    }
    default:
      return item;
  }
}

/** An approval's input too large for its event: on disk before the question is asked. */
export async function keptWhole(
  blobs: Blobs,
  session: SessionId,
  input: string,
): Promise<{ inputBlob: BlobRef; inputPreview: string }> {
  const inputBlob = await blobs.put(session, Buffer.from(input));
  return { inputBlob, inputPreview: input.slice(0, PREVIEW).toWellFormed() };
}

function preview(text: string): string {
  return `${text.slice(0, PREVIEW).toWellFormed()}\n… ${text.length - PREVIEW} more characters`;
}
