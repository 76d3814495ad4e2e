/**
 * Claude's Agent SDK as an ACP agent on stdio: `node main.ts`. It reads HOLDFAST_CLAUDE_SDK (the
 * directory of the person's own `@anthropic-ai/claude-agent-sdk`) and HOLDFAST_AGENT_STATE (the
 * directory of its session records); Claude gets its whole environment.
 */

import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { claudeAgentApp } from "./agent.ts";
import { ClaudeProcesses } from "./children.ts";
import { readBridgeConfig } from "./config.ts";
import { importSdk } from "./sdk.ts";
import { SessionRecords } from "./session-records.ts";

/** Time for Claude to write its transcript; the holder kills two seconds after it asks to end. */
const LAST_WORDS_MS = 1_000;

const children = new ClaudeProcesses();
let leaving = false;

try {
  const { sdk: directory, state, env, trustsWorkspace } = readBridgeConfig();
  const sdk = await importSdk(directory);
  const records = new SessionRecords(state);
  process.on("exit", () => children.kill());
  // The SDK is third-party code: an exception that it fails to catch must not end other sessions.
  for (const stray of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(stray, (error: unknown) => process.stderr.write(`claude: ${String(error)}\n`));
  }
  for (const [signal, number] of [
    ["SIGHUP", 1],
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const) {
    process.on(signal, () => leave(128 + number));
  }
  const connection = claudeAgentApp({
    sdk,
    records,
    children,
    env,
    trustsWorkspace,
    newId: randomUUID,
  }).connect(
    ndJsonStream(
      Writable.toWeb(process.stdout),
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
  await connection.closed;
  leave(0);
} catch (error) {
  process.stderr.write(`claude: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

function leave(code: number): void {
  if (leaving) return;
  leaving = true;
  children.end();
  void Promise.race([children.gone(), sleep(LAST_WORDS_MS)]).then(() => process.exit(code));
}
