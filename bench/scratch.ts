/**
 * Where cells work: `.bench/` in the repository, because a system's temporary directory may be
 * memory, in which a sync costs nothing.
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
/** What a seed's bytes depend on: the store, the rules that decide events, and their encoding. */
const sources = ["server/src/journal/sqlite/", "server/src/session/rules/", "protocol/src/"].map(
  (folder) => fileURLToPath(new URL(`../packages/${folder}`, import.meta.url)),
);

export function prepareScratch(): string {
  mkdirSync(root, { recursive: true });
  return root;
}

/** Calls `use` with a directory nobody used before, holding a copy of the seed if there is one. */
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

/** The seeded directory, made on first use. Its name says what it holds and which code wrote it. */
export async function seeded(seed: Seed, say: (line: string) => void): Promise<string> {
  const kind = `seed-${basename(seed.module, ".ts")}-${Object.values(seed.options).join("-")}-`;
  const name = `${kind}${hash(seed)}`;
  const dir = join(root, name);
  if (existsSync(dir)) return dir;
  // Another version's seed will not be asked for again, and a million events are a lot of disk.
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

/** Any change to what writes a seed makes old ones useless. */
function hash(seed: Seed): string {
  const sum = createHash("sha256").update(JSON.stringify(seed));
  const code = sources.flatMap((folder) =>
    readdirSync(folder)
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
