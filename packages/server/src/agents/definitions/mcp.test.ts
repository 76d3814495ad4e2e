import { describe, expect, test } from "vitest";
import { parseMcpServers } from "./mcp.ts";

test("servers are converted to the protocol's format", () => {
  const text = JSON.stringify({
    mcpServers: {
      files: { command: "files", args: ["-a"], env: { KEY: "k" } },
      web: { type: "http", url: "http://127.0.0.1:1/mcp", headers: { A: "b" } },
    },
  });
  expect(parseMcpServers(text)).toEqual([
    { name: "files", command: "files", args: ["-a"], env: [{ name: "KEY", value: "k" }] },
    {
      name: "web",
      type: "http",
      url: "http://127.0.0.1:1/mcp",
      headers: [{ name: "A", value: "b" }],
    },
  ]);
  expect(parseMcpServers(null)).toEqual([]);
});

describe("a file that cannot be understood is refused, with the reason", () => {
  test.each([
    "{",
    "[]",
    '{"mcpServers":{"x":{}}}',
    '{"mcpServers":{"x":{"type":"http","url":"x"}}}',
  ])("%s", (text) => {
    expect(() => parseMcpServers(text)).toThrow("mcp.json of the agent definition is not valid");
  });
});
