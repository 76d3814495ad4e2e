/** How the CLI speaks: people read stderr, programs read stdout. */

import { HostError } from "@holdfast/protocol";

export const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, interrupted: 130 } as const;

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** An error a tired person understands, or its stable code for a script; returns the exit code. */
export function fail(error: unknown, json: boolean): number {
  const code = error instanceof HostError ? error.code : "internal";
  const message = error instanceof Error ? error.message : String(error);
  if (json) print({ error: { code, message } });
  say(`holdfast: ${message}`);
  return code === "bad_input" ? exitCodes.usage : exitCodes.failed;
}
