/**
 * Records the stories as journals of this version:
 *
 *     node --conditions=holdfast-source test/corpus/record.ts v2
 *
 * A recorded version is a promise to everyone whose journals were written by it. It is never
 * recorded again: when a story changes, record a new version beside it.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  canonicalJson,
  type Derived,
  deriveStatus,
  type Event,
  foldAll,
  type Json,
  type SessionState,
  type Transcript,
  transcriptOf,
} from "@holdfast/protocol";
import { encodeStamped } from "@holdfast/protocol/schemas";
import { stories } from "./stories.ts";

export interface Expected {
  /** The epoch of the host that looks at it. */
  readonly epoch: number;
  readonly derived: Derived;
  readonly stateHash: string;
  readonly state: SessionState;
  readonly transcript: Transcript;
}

export const hashOf = (value: unknown): string =>
  createHash("sha256")
    .update(canonicalJson(value as Json))
    .digest("hex");

export function record(folder: string): number {
  if (existsSync(folder)) {
    throw new Error(`${folder} is recorded already, and recordings are kept as they are.`);
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, tell] of Object.entries(stories)) {
    const { events, time } = tell();
    const { epoch } = time.at();
    const state = foldAll(events);
    const expected: Expected = {
      epoch,
      derived: deriveStatus(state, { epoch }),
      stateHash: hashOf(state),
      state,
      transcript: transcriptOf(events),
    };
    const lines = events.map(({ seq, ts, ...body }) =>
      encodeStamped({ seq, ts, ...body } as Event),
    );
    writeFileSync(join(folder, `${name}.jsonl`), lines.join(""));
    writeFileSync(join(folder, `${name}.expected.json`), `${JSON.stringify(expected, null, 2)}\n`);
  }
  return Object.keys(stories).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const version = process.argv[2] ?? "";
  if (!/^v[1-9]\d*$/.test(version)) {
    process.stderr.write("Say which version to record, for example v2.\n");
    process.exit(2);
  }
  const folder = fileURLToPath(new URL(version, import.meta.url));
  process.stdout.write(`${version}: ${record(folder)} journals recorded\n`);
}
