/** Recorded journals of real sessions, by the name of their story. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Event } from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";

const folder = fileURLToPath(new URL("../../../test/corpus/v1/", import.meta.url));

export interface Recorded {
  readonly name: string;
  readonly bytes: Buffer;
  readonly events: readonly Event[];
}

export const corpus: readonly Recorded[] = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => {
    const bytes = readFileSync(`${folder}${name}`);
    return { name, bytes, events: decodeEvents(bytes) };
  });

export function recorded(name: string): Recorded {
  const found = corpus.find((one) => one.name === `${name}.jsonl`);
  if (found === undefined) throw new Error(`There is no story ${name}.`);
  return found;
}
