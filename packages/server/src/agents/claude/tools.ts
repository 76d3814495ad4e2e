/** Converts Claude's tool calls and results to ACP. Pure. */

import type {
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { cut, isObject, type JsonObject, textOf } from "../acp/acp-shape.ts";
import { textContent } from "../acp/text-content.ts";

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  NotebookRead: "read",
  Write: "edit",
  Edit: "edit",
  NotebookEdit: "edit",
  Bash: "execute",
  BashOutput: "execute",
  KillShell: "execute",
  Glob: "search",
  Grep: "search",
  WebSearch: "search",
  WebFetch: "fetch",
  Agent: "think",
  Task: "think",
  ExitPlanMode: "switch_mode",
};

const telling = ["command", "file_path", "notebook_path", "path", "pattern", "url", "query"];
const LONGEST_TITLE = 200;

/** The ACP call. `rawInput` is the exact input, on which a person decides. */
export function toolCallOf(toolCallId: string, name: string, input: unknown): ToolCall {
  const known = isObject(input) ? input : {};
  const content = diffOf(name, known);
  return {
    toolCallId,
    title: titleOf(name, known),
    kind: Object.hasOwn(kinds, name) ? (kinds[name] as ToolKind) : "other",
    status: "pending",
    rawInput: input ?? {},
    ...(content.length === 0 ? {} : { content }),
    // Rules need the tool's name: many tools share one kind.
    _meta: { claudeCode: { toolName: name } },
  };
}

export function titleOf(name: string, input: JsonObject): string {
  const words = telling
    .map((key) => textOf(input[key], LONGEST_TITLE))
    .find((text) => text !== null);
  return cut([name, words].filter(Boolean).join(" "), LONGEST_TITLE);
}

export function toolResultOf(toolCallId: string, block: JsonObject): ToolCallUpdate {
  return {
    toolCallId,
    status: block.is_error === true ? "failed" : "completed",
    content: contentOf(block.content),
  };
}

/** Ends a call that has no result, so that clients stop waiting for it. */
export function toolCutOff(toolCallId: string, words: string): ToolCallUpdate {
  return { toolCallId, status: "failed", content: [textContent(words)] };
}

function contentOf(content: unknown): ToolCallContent[] {
  if (typeof content === "string") return [textContent(content)];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).flatMap((block): ToolCallContent[] => {
    if (block.type === "text" && typeof block.text === "string") return [textContent(block.text)];
    const source = block.type === "image" && isObject(block.source) ? block.source : {};
    const { data, media_type: mimeType } = source;
    if (typeof data !== "string" || typeof mimeType !== "string") return [];
    return [{ type: "content", content: { type: "image", data, mimeType } }];
  });
}

function diffOf(name: string, { file_path: path, ...input }: JsonObject): ToolCallContent[] {
  const [oldText, newText] =
    name === "Edit" ? [input.old_string, input.new_string] : [null, input.content];
  if ((name !== "Edit" && name !== "Write") || typeof path !== "string") return [];
  if (typeof newText !== "string" || (oldText !== null && typeof oldText !== "string")) return [];
  return [{ type: "diff", path, oldText, newText }];
}
