/** Asks before something that cannot be taken back. */

import { createInterface } from "node:readline/promises";
import { usage } from "./exit.ts";

export const yesFlag = { yes: { short: "y", does: "do it without asking" } } as const;

interface Confirm {
  readonly yes: boolean;
  readonly json: boolean;
  /** True: a script must say --yes. False: a script is taken at its word. */
  readonly strict?: boolean;
}

/** True when a person can be asked here: input and output are a terminal. */
export function canAsk(json: boolean): boolean {
  return !json && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export async function confirmed(
  question: string,
  { yes, json, strict }: Confirm,
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(json)) {
    if (strict === true) throw usage(`${question} Nobody can be asked here; say --yes.`);
    return true;
  }
  return /^\s*y(es)?\s*$/i.test(await typedAnswer(`${question} [y/N] `));
}

/** The line that a person types; empty when they leave. */
export async function typedAnswer(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D are a no.
  const gone = new AbortController();
  reader.once("close", () => gone.abort()).once("SIGINT", () => reader.close());
  try {
    return await reader.question(question, { signal: gone.signal });
  } catch {
    process.stderr.write("\n");
    return "";
  } finally {
    reader.close();
  }
}
