/** Stores output too large for an event as a preview and a blob, which is durable first. */

import type { BlobRef, Json, Output, SessionId } from "@holdfast/protocol";
import type { Blobs } from "../journal/blobs.ts";
import { editDiffOf } from "./edit-diff.ts";
import { pictureOf } from "./picture.ts";

/** Characters of an output that stay in the journal when the rest goes into a blob. */
export const PREVIEW = 4096;
/** Characters above which an output goes into a blob; a few such outputs fit in one event. */
const INLINE = 32 * 1024;
/** Characters that stay of one long text within an input. */
const LONGEST = 1024;

/** The output in a form that fits an event; large content is stored as a blob first. */
export async function fitting(blobs: Blobs, session: SessionId, item: Output): Promise<Output> {
  const store = (text: string): Promise<BlobRef> => blobs.put(session, Buffer.from(text));
  switch (item.type) {
    case "tool_finished":
      return item.output.length <= INLINE
        ? item
        : { ...item, output: preview(item.output), blob: await store(item.output) };
    case "tool_updated": {
      const shown = item.output.length <= INLINE ? item : { ...item, output: preview(item.output) };
      if (item.input === undefined) return shown;
      const input = JSON.stringify(item.input);
      if (input.length <= INLINE) return shown;
      return { ...shown, input: beginning(item.input, input), blob: await store(input) };
    }
    case "tool_started": {
      const input = JSON.stringify(item.input);
      if (input.length <= INLINE) return item;
      return { ...item, input: beginning(item.input, input), blob: await store(input) };
    }
    case "part": {
      if (item.part.type === "image")
        return { ...item, part: await shownPicture(item.part, blobs, session) };
      const part = JSON.stringify(item.part);
      if (part.length <= INLINE) return item;
      const { hash, bytes } = await store(part);
      const diff = editDiffOf(item.part);
      // The patch replaces the preview of the two long texts.
      const shown = diff === null ? { preview: preview(part) } : { preview: "", diff: { ...diff } };
      return { ...item, part: { type: "blob", ...shown, hash, bytes } };
    }
    default:
      return item;
  }
}

/** The picture's blob and size, or the reason why it cannot be shown; never its bytes. */
async function shownPicture(
  part: Readonly<Record<string, Json>>,
  blobs: Blobs,
  session: SessionId,
): Promise<Record<string, Json>> {
  const call = typeof part.toolCallId === "string" ? { toolCallId: part.toolCallId } : {};
  const picture = pictureOf(part);
  if (typeof picture === "string") return { type: "image", ...call, unshown: picture };
  const { mime, width, height } = picture;
  const { hash, bytes } = await blobs.put(session, picture.bytes);
  return { type: "image", ...call, mime, width, height, hash, bytes };
}

/** The members of a large input with their long texts cut, so that its subject can be read. */
function beginning(input: Json, text: string): Json {
  const cut = (value: Json): Json => {
    if (typeof value === "string")
      return value.length <= 2 * LONGEST ? value : preview(value, LONGEST);
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map(cut);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member)]));
  };
  const short = cut(input);
  return JSON.stringify(short).length <= INLINE ? short : preview(text);
}

/** Stores an approval's large input as a blob before the question is asked. */
export async function keptWhole(
  blobs: Blobs,
  session: SessionId,
  input: string,
): Promise<{ inputBlob: BlobRef; inputPreview: string }> {
  const inputBlob = await blobs.put(session, Buffer.from(input));
  return { inputBlob, inputPreview: input.slice(0, PREVIEW).toWellFormed() };
}

function preview(text: string, length = PREVIEW): string {
  return `${text.slice(0, length).toWellFormed()}\n… ${text.length - length} more characters`;
}
