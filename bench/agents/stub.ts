/**
 * An agent process that speaks ACP over stdio and emits the deltas that the prompt asks for. All
 * peers of the agent path use it. With STUB_STATE set to a directory, it stores its sessions there
 * and can load them.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import { dueDeltas, type Emission, parseEmission } from "../streams/pace.ts";
import { Memory } from "./memory.ts";

/** Lines per write: as much as a pipe accepts at once. */
const MOST = 128;

interface Asked {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: { text?: string }[] };
}

const { STUB_STATE: state } = process.env;
const memory = state === undefined ? null : new Memory(state);

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() !== "") void hear(JSON.parse(line) as Asked);
}
process.exit(0);

async function hear({ id, method, params }: Asked): Promise<void> {
  if (id === undefined) return;
  switch (method) {
    case "initialize":
      return reply(id, {
        protocolVersion: 1,
        authMethods: [],
        agentCapabilities: memory === null ? {} : { loadSession: true },
      });
    case "session/new":
      return reply(id, { sessionId: memory?.create() ?? "stub-1" });
    case "session/load":
      return load(id, params?.sessionId ?? "");
    case "session/prompt":
      await work(params?.sessionId ?? "stub-1", params?.prompt?.[0]?.text ?? "");
      return reply(id, { stopReason: "end_turn" });
    default:
      return reply(id, {});
  }
}

function reply(id: number | string, result: object): void {
  say({ id, result });
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
}

function load(id: number | string, sessionId: string): void {
  const replay = memory?.replay(sessionId) ?? null;
  if (replay === null) {
    say({ id, error: { code: -32002, message: "There is no such session." } });
  } else {
    process.stdout.write(replay);
    reply(id, {});
  }
}

async function work(sessionId: string, prompt: string): Promise<void> {
  const asked = parseEmission(prompt);
  if (asked !== null) await emit(sessionId, asked);
  else if (memory !== null) process.stdout.write(memory.turn(sessionId, prompt));
}

async function emit(sessionId: string, asked: Emission): Promise<void> {
  const head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`;
  for await (const due of dueDeltas(asked, MOST)) {
    const lines = due.map(({ text }) => `${head}${text}"}}}}\n`).join("");
    if (!process.stdout.write(lines)) await once(process.stdout, "drain");
  }
}
