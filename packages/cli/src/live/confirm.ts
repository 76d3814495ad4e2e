/** Asks for confirmation before an action that cannot be undone. */

import { createInterface } from "node:readline/promises";
import { visibleLine } from "@holdfast/protocol";
import { usage } from "../exit.ts";

export const yesFlag = { yes: { short: "y", does: "do not ask for confirmation" } } as const;

interface Confirm {
  readonly yes: boolean;
  readonly json: boolean;
  /** True: a script must pass --yes. False: a script needs no confirmation. */
  readonly strict?: boolean;
}

/** True when a person can answer: they read and type on a terminal. */
export function canAsk(json: boolean): boolean {
  return !json && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export async function confirmed(
  question: string,
  { yes, json, strict }: Confirm,
): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(json)) {
    if (strict === true) throw usage(`${question} This needs a confirmation: add --yes.`);
    return true;
  }
  return /^\s*y(es)?\s*$/i.test(await typedAnswer(`${question} [y/N] `));
}

export async function typedAnswer(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D mean no.
  const gone = new AbortController();
  reader.once("close", () => gone.abort()).once("SIGINT", () => reader.close());
  try {
    return await reader.question(visibleLine(question), { signal: gone.signal });
  } catch {
    process.stderr.write("\n");
    return "";
  } finally {
    reader.close();
  }
}
