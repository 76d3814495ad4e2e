/**
 * Tool calls of an ACP agent. An update replaces what the call showed before, and some agents update
 * calls they never announced; the journal wants one start, additions, and one result.
 */

import type { Json, Output, ToolPart } from "@holdfast/protocol";
import { isObject, textOf, toolNameOf } from "./acp-shape.ts";

interface KnownTool {
  readonly toolName: string;
  readonly input: Json;
  /** What it has shown so far. */
  readonly shown: string;
  readonly over: boolean;
}

/** The calls of the current turn, by their id. */
export class KnownTools {
  readonly #tools = new Map<string, KnownTool>();

  /** After an adoption: what the journal knows of the calls that are still open. */
  static of(parts: readonly ToolPart[]): KnownTools {
    const tools = new KnownTools();
    for (const { toolCallId, name, input, output, status } of parts) {
      const over = status !== "running";
      tools.set(toolCallId, { toolName: name, input, shown: output, over });
    }
    return tools;
  }

  get(id: string): KnownTool | undefined {
    return this.#tools.get(id);
  }

  set(id: string, tool: KnownTool): void {
    this.#tools.set(id, tool);
  }

  clear(): void {
    this.#tools.clear();
  }
}

export function toolOutput(update: Readonly<Record<string, Json>>, tools: KnownTools): Output[] {
  const toolCallId = textOf(update.toolCallId);
  if (toolCallId === null) return [];
  const known = tools.get(toolCallId);
  if (known?.over === true) return [];
  const input = update.rawInput ?? known?.input ?? {};
  const toolName = toolNameOf(update) ?? known?.toolName ?? "tool";
  const content = Array.isArray(update.content) ? update.content.filter(isObject) : null;
  const shown = content === null ? (known?.shown ?? "") : textIn(content);
  const output: Output[] = [];
  if (known === undefined) {
    const name = textOf(update.title) ?? toolName;
    output.push({ type: "tool_started", toolCallId, name, input, gated: false });
  }
  for (const diff of (content ?? []).filter((item) => item.type === "diff")) {
    output.push({ type: "part", part: { ...diff, toolCallId } });
  }
  const over = update.status === "completed" || update.status === "failed";
  tools.set(toolCallId, { toolName, input, shown, over });
  if (over) {
    const status = update.status === "completed" ? "completed" : "failed";
    const result = shown === "" ? rawOutput(update.rawOutput) : shown;
    output.push({ type: "tool_finished", toolCallId, status, output: result });
  } else if (shown !== (known?.shown ?? "")) {
    output.push({ type: "tool_updated", toolCallId, output: added(known?.shown ?? "", shown) });
  }
  return output;
}

/** What is new of a text that was shown whole again. */
function added(before: string, now: string): string {
  return now.startsWith(before) ? now.slice(before.length) : `\n${now}`;
}

function textIn(content: readonly { [key: string]: Json }[]): string {
  return content
    .map((item) => (isObject(item.content) ? item.content.text : undefined))
    .filter((text) => typeof text === "string")
    .join("\n");
}

function rawOutput(raw: Json | undefined): string {
  if (raw === undefined || raw === null) return "";
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}
