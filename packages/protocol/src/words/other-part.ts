/**
 * Words for a part that is neither text nor a call of a turn. An agent wrote it, so any field may be
 * missing.
 */

import type { Json } from "../events.ts";
import { toolWords } from "./tool.ts";

export function otherPartWords(part: Readonly<Record<string, Json>>): string {
  const { type, name, input = null, text, message } = part;
  if (type === "blob") return beginningOf(textOf(part.preview)) || "content too long to show here";
  if (type === "tool_started") return toolWords(textOf(name), input);
  if (type === "tool_updated" || type === "tool_finished") return "a tool call between turns";
  return textOf(text) || textOf(message) || textOf(type) || "content that cannot be shown here";
}

const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "");

/**
 * The kind of a text or thinking too long for an event, by the beginning of its JSON, which is
 * stored in a blob; null for other content.
 */
export function longTextKind(json: string): string | null {
  return /^\{"type":"(text|thinking)"/.exec(json)?.[1] ?? null;
}

/** The text of a whole stored part; content of another kind as it is stored. */
export function wholePartText(json: string): string {
  if (longTextKind(json) === null) return json;
  try {
    return textOf((JSON.parse(json) as Record<string, Json>).text) || json;
  } catch {
    return json;
  }
}

/** The text up to the last complete character before the host's cut. */
const begun = /^[^,]*,"text":"((?:[^"\\\p{Cc}]|\\u[0-9a-f]{4}|\\["\\/bfnrt])*)/u;

function beginningOf(preview: string): string {
  const found = (longTextKind(preview) !== null && begun.exec(preview)?.[1]) || "";
  return found === "" ? "" : `${JSON.parse(`"${found}"`)}…`;
}
