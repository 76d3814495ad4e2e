/**
 * The last that happened in a session, in one line: what a list shows, which has no transcript. The
 * words are an agent's, and inert only where they are shown.
 */

import type { ApprovalState } from "./session.ts";
import { type Call, requestLine, requestOf } from "./words/request.ts";
import { toolWords } from "./words/tool.ts";

export const happenings = ["does", "asks", "said", "failed"] as const;

/** Characters of its text. */
export const HAPPENING = 120;

export interface Happening {
  readonly kind: (typeof happenings)[number];
  readonly text: string;
}

export function happening(kind: Happening["kind"], text: string): Happening {
  return { kind, text: shortLine(text) };
}

export function toolHappening({ name, input }: Call): Happening {
  return happening("does", toolWords(name, input));
}

/** `name` is the name of the call that is asked about. */
export function askHappening(name: string, asked: ApprovalState): Happening {
  const { input, inputBlob = null, inputPreview = null } = asked;
  const request = requestOf({ toolInput: input, inputBlob, inputPreview });
  return happening("asks", requestLine(request, { name, input }));
}

/** As a list says it beside the session's state, which may say already that it failed. */
export function happeningWords({ kind, text }: Happening, state: string): string {
  const words = { does: text, asks: `asks: ${text}`, said: `said “${text.trimEnd()}”` };
  if (kind !== "failed") return words[kind];
  return state === "failed" ? text : `failed: ${text}`;
}

/** Words as they come: their beginning stands, so that a list need not follow every one of them. */
export function saying(before: Happening | null, goesOn: boolean, text: string): Happening | null {
  const said = goesOn && before?.kind === "said" ? before : null;
  if (said !== null && said.text.length >= HAPPENING) return said;
  const next = happening("said", (said?.text ?? "") + text);
  return next.text === "" ? before : next;
}

/** What stands behind this many is not looked at: a command may be a hundred thousand long. */
const LOOKED_AT = 4 * HAPPENING;

/** Its end stays as it is: the next words may belong to it. */
function shortLine(text: string): string {
  const line = text.slice(0, LOOKED_AT).trimStart().replace(/\s+/g, " ");
  return line.length < HAPPENING ? line : `${line.slice(0, HAPPENING - 1).toWellFormed()}…`;
}
