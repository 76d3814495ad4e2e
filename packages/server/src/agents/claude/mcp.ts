/** MCP servers as the client names them, and as Claude wants to be told of them. */

import type { McpServer } from "@agentclientprotocol/sdk/unstable";

export function mcpServersOf(servers: readonly McpServer[]): Record<string, object> {
  return Object.fromEntries(
    servers.flatMap((server): [string, object][] => {
      if (!("type" in server)) {
        const { name, command, args, env } = server;
        return [[name, { type: "stdio", command, args, env: pairs(env) }]];
      }
      // One that speaks through the client itself would need a way back that Claude does not have.
      if (server.type === "acp") return [];
      const { type, name, url, headers } = server;
      return [[name, { type, url, headers: pairs(headers) }]];
    }),
  );
}

const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
