/** Parses `mcp.json`, as coding agents write it, into the format of the Agent Client Protocol. */

import { HostError, type Json } from "@holdfast/protocol";
import { z } from "zod";

const pairs = z.record(z.string(), z.string()).default({});

const local = z
  .object({
    type: z.literal("stdio").optional(),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: pairs,
  })
  .transform(({ command, args, env }) => ({ command, args, env: named(env) }));

const remote = z
  .object({ type: z.enum(["http", "sse"]), url: z.url(), headers: pairs })
  .transform(({ type, url, headers }) => ({ type, url, headers: named(headers) }));

const file = z.object({ mcpServers: z.record(z.string().min(1), z.union([local, remote])) });

export function parseMcpServers(text: string | null): readonly Json[] {
  if (text === null) return [];
  const parsed = file.safeParse(parse(text));
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    throw refused(`${first?.path.join(".") || "the file"}: ${first?.message ?? "unknown"}`);
  }
  return Object.entries(parsed.data.mcpServers).map(([name, server]) => ({ name, ...server }));
}

const named = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused((error as Error).message);
  }
}

const refused = (why: string) =>
  new HostError("bad_input", `The mcp.json of the agent definition is not valid: ${why}.`);
