/**
 * The demo agent, an ACP agent on stdio that needs no model: `node main.ts`. The prompt `/help`
 * lists its commands. It reads HOLDFAST_AGENT_STATE (directory for its transcripts) and
 * HOLDFAST_DEMO_PACE_MS.
 */

import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { demoAgentApp } from "./agent.ts";
import { killGroups } from "./command.ts";
import { readDemoConfig } from "./config.ts";
import { Hearing } from "./hearing.ts";
import { flushed } from "./stdout.ts";

const LAST_WORDS_MS = 50;

const hearing = new Hearing();
process.on("exit", killGroups);
for (const [signal, number] of [
  ["SIGHUP", 1],
  ["SIGINT", 2],
  ["SIGTERM", 15],
] as const) {
  process.on(signal, () => leave(128 + number));
}

const connection = demoAgentApp(readDemoConfig(), hearing).connect(
  ndJsonStream(
    Writable.toWeb(process.stdout),
    hearing.listenTo(Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  ),
);
await connection.closed;
leave(0);

function leave(code: number): void {
  if (hearing.deaf) return;
  killGroups();
  void Promise.race([flushed(), sleep(LAST_WORDS_MS)]).then(() => process.exit(code));
}
