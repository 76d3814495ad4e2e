/**
 * [P38]: someone swaps links in a workspace while its files are read over HTTP. No read gives away
 * what lies outside: neither the data directory nor another folder.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError } from "@holdfast/client";
import type { Context, Suite } from "../../long/suite.ts";
import type { World } from "../../story/world.ts";
import { inWorld, type RoundOptions } from "../worlds.ts";

const LANES = 4;
const SECRET = "what nobody may read";

interface Swap {
  readonly workspace: string;
  /** The path that is swapped. */
  readonly at: string;
  /** The two paths that are renamed to `at` in turn: the first may be read, the second may not. */
  readonly turns: readonly [string, string];
  /** The file to read, relative to the workspace. */
  readonly file: string;
}

const kinds = {
  "the workspace is a link, now to a folder, now to the data directory": {
    workspace: "link",
    at: "link",
    turns: ["to-inside", "to-data"],
    file: "token",
  },
  "a folder of the workspace is swapped for a link to another folder": {
    workspace: "inside",
    at: "inside/at",
    file: "at/token",
    turns: ["inside/own", "inside/to-outside"],
  },
} as const satisfies Record<string, Swap>;

export type SwapKind = keyof typeof kinds;

export const swaps: Suite = {
  name: "swaps",
  async run(context) {
    const reads = context.short ? 1000 : 10_000;
    for (const kind of Object.keys(kinds) as SwapKind[]) {
      const title = `${kind}, all the while it is read × ${reads}: 0 reads outside`;
      await context.test(title, () => swapRound(context, kind, reads));
    }
  },
};

export function swapRound(
  context: Pick<Context, "say" | "progress">,
  kind: SwapKind,
  reads: number,
  options: RoundOptions = {},
): Promise<string[]> {
  return inWorld(options, async (world) => {
    const dir = mkdtempSync(join(tmpdir(), "holdfast-swaps-"));
    try {
      lay(dir, world.data);
      return await readWhileSwapped(context, world, { swap: kinds[kind], reads, dir });
    } finally {
      rmSync(dir, { recursive: true, maxRetries: 3 });
    }
  });
}

function lay(dir: string, data: string): void {
  for (const [name, text] of [
    ["inside", "own"],
    ["inside/own", "own"],
    ["outside", SECRET],
  ] as const) {
    mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, "token"), text);
  }
  symlinkSync(join(dir, "outside"), join(dir, "inside/to-outside"));
  symlinkSync(join(dir, "inside"), join(dir, "to-inside"));
  symlinkSync(data, join(dir, "to-data"));
}

async function readWhileSwapped(
  context: Pick<Context, "say" | "progress">,
  world: World,
  { swap, reads, dir }: { swap: Swap; reads: number; dir: string },
): Promise<string[]> {
  const [at, own, foreign] = [swap.at, ...swap.turns].map((name) => join(dir, name)) as [
    ...[string, string, string],
  ];
  renameSync(own, at);
  const workspace = { kind: "in-place", path: join(dir, swap.workspace) };
  const { id } = await world.create(undefined, { workspace });
  const count = join(dir, "count");
  const swapping = startSwapping(at, own, foreign, count);
  const found = new Map<string, number>();
  let begun = 0;
  const lane = async () => {
    while (begun < reads) {
      begun++;
      const seen = await contentOf(world, id, swap.file);
      found.set(seen, (found.get(seen) ?? 0) + 1);
      context.progress(begun, reads);
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    swapping.kill("SIGKILL");
    await once(swapping, "exit");
  }
  const swapped = Number(readFileSync(count, "utf8"));
  const isLeak = (seen: string) => seen === SECRET || seen === world.token;
  const told = [...found].map(([seen, times]) => `${times} × ${isLeak(seen) ? "LEAK" : seen}`);
  context.say(`${swapped} swaps meanwhile; ${told.join(", ")}`);
  return [
    ...[...found]
      .filter(([seen]) => isLeak(seen))
      .map(([, times]) => `${times} of ${reads} reads were of a file outside`),
    ...(found.has("own") ? [] : ["void: its own file was never read"]),
    ...(swapped < reads ? [`void: only ${swapped} swaps`] : []),
  ];
}

async function contentOf(world: World, sessionId: string, path: string): Promise<string> {
  try {
    const file = await world.client.call("readFile", { params: { sessionId, path } });
    return "text" in file ? String(file.text).trim() : "a folder";
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return error.code;
    throw error;
  }
}

/** Swaps in a child process without a pause, and writes down every thousandth swap. */
function startSwapping(...args: readonly string[]): ChildProcess {
  const script = `const { renameSync, writeFileSync } = require("node:fs");
    const [at, own, foreign, count] = process.argv.slice(1);
    for (let n = 1; ; n++) {
      renameSync(at, own);
      renameSync(foreign, at);
      renameSync(at, foreign);
      renameSync(own, at);
      if (n % 1000 !== 0) continue;
      writeFileSync(count + ".new", String(n));
      renameSync(count + ".new", count);
    }`;
  return spawn(process.execPath, ["-e", script, ...args], { stdio: "ignore" });
}
