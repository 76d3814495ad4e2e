/** Claude's tool calls and their results, as ACP tells them. Pure. */

import type {
  ToolCall,
  ToolCallContent,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { cut, isObject, type JsonObject, textOf } from "../acp-shape.ts";

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

/** Of a call's input, what tells people most about it: the first of these that is there. */
const telling = ["command", "file_path", "notebook_path", "path", "pattern", "url", "query"];
const LONGEST_TITLE = 200;

/** `rawInput` is the input exactly: it is what a person is asked about. */
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
    // A rule is about a tool, and many tools are of one kind.
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

/** A call that came to no result says so, and nobody waits for it any more. */
export function toolCutOff(toolCallId: string, words: string): ToolCallUpdate {
  return { toolCallId, status: "failed", content: [textContent(words)] };
}

export const textContent = (text: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text },
});

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
