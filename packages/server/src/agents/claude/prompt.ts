/** Converts the client's prompt to Claude's message format. */

import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { UserMessage } from "./sdk.ts";

export function userMessage(prompt: readonly ContentBlock[]): UserMessage {
  const content = prompt.flatMap(blockOf);
  return { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
}

function blockOf(block: ContentBlock): object[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image": {
      const source = { type: "base64", media_type: block.mimeType, data: block.data };
      return [{ type: "image", source }];
    }
    case "resource_link":
      return [{ type: "text", text: `[${block.name}](${block.uri})` }];
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) return [];
      return [{ type: "text", text: `<file uri="${resource.uri}">\n${resource.text}\n</file>` }];
    }
    default:
      return [];
  }
}
