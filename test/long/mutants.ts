/** Runs suites on hosts that are broken on purpose, to show that the suites can fail. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutations } from "./mutations.mjs";
import type { Context } from "./suite.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** For `node --import`, with the mutant's name in `MUTANT`. */
export const mutateFile = fileURLToPath(new URL("./mutate.mjs", import.meta.url));

export const whatIs = (mutant: string): string => mutations[mutant]?.what ?? mutant;

/**
 * Runs a control; it has a problem when the suite finds no fault, or when the mutant itself is
 * invalid.
 */
export async function isCaught(
  { say }: Pick<Context, "say">,
  mutant: string | undefined,
  run: () => Promise<readonly string[]>,
): Promise<string[]> {
  const stale = mutant === undefined ? [] : staleAnchors(mutant);
  if (stale.length > 0) return stale;
  const problems = await run().catch((error: Error) => [error.message]);
  const first = problems[0];
  if (first === undefined) return ["nothing turned red"];
  if (/does not hold: |SyntaxError|ReferenceError/.test(first))
    return [`the mutant is broken: ${first}`];
  say(`red as it should be: ${first.slice(0, 160)}`);
  return [];
}

function staleAnchors(mutant: string): string[] {
  const { patches = [] } = mutations[mutant] ?? {};
  if (patches.length === 0) return [`there is no mutant ${mutant}`];
  return patches
    .filter(({ file, from }) => !readFileSync(join(root, file), "utf8").includes(from))
    .map(({ file, from }) => `${file} does not hold: ${from}`);
}
