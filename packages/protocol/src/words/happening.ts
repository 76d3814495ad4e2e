/**
 * The latest happening of a session in one line, for lists, which have no transcript. The text is
 * an agent's: the place that shows it must escape it.
 */

import type { Json } from "../events.ts";
import type { ApprovalState } from "../session.ts";
import { HAPPENING, type Happening } from "../vocabulary.ts";
import { isStop } from "./answer.ts";
import { longTextKind, otherPartWords } from "./other-part.ts";
import { type Call, requestLine, requestOf } from "./request.ts";
import { callEndWords } from "./story.ts";
import { toolWords } from "./tool.ts";

export function happening(kind: Happening["kind"], text: string): Happening {
  return { kind, text: shortLine(text) };
}

export function toolHappening({ name, input }: Call): Happening {
  return happening("does", toolWords(name, input));
}

/** The happening of a text too long for an event; null for any other part. */
export function partHappening(part: Readonly<Record<string, Json>>): Happening | null {
  const { type, preview } = part;
  const isText = type === "blob" && typeof preview === "string" && longTextKind(preview) === "text";
  return isText ? happening("said", otherPartWords(part)) : null;
}

/** `name` is the name of the call that the question is about. */
export function askHappening(name: string, asked: ApprovalState): Happening {
  const { input, inputBlob = null, inputPreview = null } = asked;
  const request = requestOf({ toolInput: input, inputBlob, inputPreview });
  return happening("asks", requestLine(request, { name, input }));
}

/** The words for a call that was denied, or stopped before it was allowed to start. */
export function notRunWords(name: string, asked: ApprovalState): string {
  const isDenied = asked.decision === "deny" && !isStop(asked.reason);
  const word = isDenied ? callEndWords.denied : callEndWords.not_started;
  return shortLine(`${word}: ${askHappening(name, asked).text}`);
}

/** The words beside the session's state in a list, which may already say that it failed. */
export function happeningWords({ kind, text }: Happening, state: string): string {
  const words = { does: text, asks: `asks: ${text}`, said: `said “${text.trimEnd()}”` };
  if (kind !== "failed") return words[kind];
  return state === "failed" ? text : `failed: ${text}`;
}

/**
 * The happening of streamed text: its beginning, so that a list need not update for every piece.
 */
export function saying(before: Happening | null, goesOn: boolean, text: string): Happening | null {
  const said = goesOn && before?.kind === "said" ? before : null;
  if (said !== null && said.text.length >= HAPPENING) return said;
  const next = happening("said", (said?.text ?? "") + text);
  return next.text === "" ? before : next;
}

/** Characters of a text that are read at all; a command may have a hundred thousand. */
const LOOKED_AT = 4 * HAPPENING;

/** Shortens to one line. Trailing space is kept, because the next piece of text may follow. */
function shortLine(text: string): string {
  const line = text.slice(0, LOOKED_AT).trimStart().replace(/\s+/g, " ");
  return line.length < HAPPENING ? line : `${line.slice(0, HAPPENING - 1).toWellFormed()}…`;
}
