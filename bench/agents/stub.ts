/**
 * An agent as a process of its own that speaks ACP over its stdio and says deltas as the prompt asks.
 * The same one stands behind every peer of the agent path.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { dueDeltas, parseEmission } from "../streams/pace.ts";

/** Lines in one write: what a pipe takes at once. */
const MOST = 128;

interface Asked {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: { text?: string }[] };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== "") void hear(JSON.parse(line) as Asked);
}
process.exit(0);

async function hear({ id, method, params }: Asked): Promise<void> {
  if (id === undefined) return;
  switch (method) {
    case "initialize":
      return reply(id, { protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
    case "session/new":
      return reply(id, { sessionId: "stub-1" });
    case "session/prompt":
      await emit(params?.sessionId ?? "stub-1", params?.prompt?.[0]?.text ?? "");
      return reply(id, { stopReason: "end_turn" });
    default:
      return reply(id, {});
  }
}

function reply(id: number | string, result: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

async function emit(sessionId: string, prompt: string): Promise<void> {
  const asked = parseEmission(prompt);
  if (asked === null) return;
  const head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`;
  for await (const due of dueDeltas(asked, MOST)) {
    const lines = due.map(({ text }) => `${head}${text}"}}}}\n`).join("");
    if (!process.stdout.write(lines)) await once(process.stdout, "drain");
  }
}
