/** A standing rule in one line: the tool, and the input that the rule allows. */

import type { Json } from "@holdfast/protocol";
import { toolWords } from "./tool.ts";

/** The pattern that allows every input of a tool. */
const ANY_INPUT = "*";

export function ruleWords(toolName: string, pattern: string): string {
  if (pattern === ANY_INPUT) return `${toolWords(toolName, {})}, with any input`;
  try {
    return toolWords(toolName, JSON.parse(pattern) as Json);
  } catch {
    return `${toolName} ${pattern}`;
  }
}
