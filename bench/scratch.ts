/**
 * Working directories of cells, in `.bench/` of the repository: a system's temporary directory may
 * be in memory, where a sync is free.
 */

import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCell } from "./cell.ts";
import type { Seed } from "./suite.ts";

const root = fileURLToPath(new URL("../.bench/", import.meta.url));
/**
 * Sources that determine a seed's bytes: the store, the rules that decide events, and the encoding.
 */
const sources = ["server/src/journal/sqlite/", "server/src/session/rules/", "protocol/src/"].map(
  (folder) => fileURLToPath(new URL(`../packages/${folder}`, import.meta.url)),
);

export function prepareScratch(): string {
  mkdirSync(root, { recursive: true });
  return root;
}

/** Calls `use` with a new directory that holds a copy of the seed, if any. */
export async function withFreshDir<T>(
  seed: string | null,
  use: (dir: string) => Promise<T>,
): Promise<T> {
  const dir = join(root, `cell-${process.pid}`);
  rmSync(dir, { recursive: true, force: true });
  if (seed === null) mkdirSync(dir);
  else cpSync(seed, dir, { recursive: true });
  try {
    return await use(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * The seeded directory, made on first use. Its name encodes its content and the code version that
 * wrote it.
 */
export async function seeded(seed: Seed, say: (line: string) => void): Promise<string> {
  const kind = `seed-${basename(seed.module, ".ts")}-${Object.values(seed.options).join("-")}-`;
  const name = `${kind}${hash(seed)}`;
  const dir = join(root, name);
  if (existsSync(dir)) return dir;
  // Seeds of other versions are no longer used, and a million events take much disk space.
  for (const old of readdirSync(root)) {
    if (old.startsWith(kind)) rmSync(join(root, old), { recursive: true });
  }
  say(`seed ${basename(seed.module, ".ts")} ${JSON.stringify(seed.options)}`);
  const half = join(root, `half-${process.pid}`);
  mkdirSync(half);
  try {
    await runCell(seed.module, { peer: "seed", dir: half, options: seed.options });
    renameSync(half, dir);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return dir;
}

/** Hashes the seed and the code that writes it, so that a code change makes a new seed. */
function hash(seed: Seed): string {
  const sum = createHash("sha256").update(JSON.stringify(seed));
  const code = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .toSorted()
      .map((file) => join(folder, file)),
  );
  for (const file of [seed.module, "./story.ts", "./events.ts"]) {
    code.push(fileURLToPath(new URL(file, import.meta.url)));
  }
  for (const file of code) sum.update(readFileSync(file));
  return sum.digest("hex").slice(0, 12);
}
