/** How the CLI speaks: people read stderr, programs read stdout. */

import { HostError } from "@holdfast/protocol";

export const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, interrupted: 130 } as const;

/** Whoever writes hears of an error by its callback; unheard here, it would end the process. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const readerLeft = new Set(["EPIPE", "ECONNRESET"]);

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function print(value: unknown): Promise<void> {
  return printText(JSON.stringify(value));
}

/** A reader that has heard enough is no failure, and what the command does goes on without it. */
export function printText(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.write(`${text}\n`, (error?: NodeJS.ErrnoException | null) => {
    if (!error || readerLeft.has(error.code ?? "")) return resolve();
    const message = `Its output could not be written (${error.message}). Send stdout elsewhere.`;
    reject(new HostError("internal", message));
  });
  return promise;
}

/** An error a tired person understands, or its stable code for a script; returns the exit code. */
export async function fail(error: unknown, json: boolean): Promise<number> {
  const code = error instanceof HostError ? error.code : "internal";
  const message = error instanceof Error ? error.message : String(error);
  // Where stdout takes nothing, stderr still says it.
  if (json) await print({ error: { code, message } }).catch(() => undefined);
  say(`holdfast: ${message}`);
  return code === "bad_input" ? exitCodes.usage : exitCodes.failed;
}
