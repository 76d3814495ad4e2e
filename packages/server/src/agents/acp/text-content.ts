import type { ToolCallContent } from "@agentclientprotocol/sdk";

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
