/** Converts MCP servers from the client's format to Claude's. */

import type { McpServer } from "@agentclientprotocol/sdk/unstable";

export function claudeMcpServers(servers: readonly McpServer[]): Record<string, object> {
  return Object.fromEntries(
    servers.flatMap((server): [string, object][] => {
      if (!("type" in server)) {
        const { name, command, args, env } = server;
        return [[name, { type: "stdio", command, args, env: pairs(env) }]];
      }
      // A server that is reached through the client needs a channel back, which Claude lacks.
      if (server.type === "acp") return [];
      const { type, name, url, headers } = server;
      return [[name, { type, url, headers: pairs(headers) }]];
    }),
  );
}

const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
