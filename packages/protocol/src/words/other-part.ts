/**
 * Words for a part that is neither text nor a call of a turn. An agent wrote it, so any field may be
 * missing.
 */

import type { Json } from "../events.ts";
import { toolWords } from "./tool.ts";

export function otherPartWords(part: Readonly<Record<string, Json>>): string {
  const { type, name, input = null, text, message } = part;
  if (type === "blob") return "content too long to show here";
  if (type === "tool_started") return toolWords(textOf(name), input);
  if (type === "tool_updated" || type === "tool_finished") return "a tool call between turns";
  return textOf(text) || textOf(message) || textOf(type) || "content that cannot be shown here";
}

const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "");
