/**
 * [S3]: callers without a credential send large bodies. The host refuses them without storing them,
 * and serves everyone else meanwhile.
 */

import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memoryOf } from "../../hostile/crowd.ts";
import type { Context, Suite } from "../../long/suite.ts";
import { Health } from "../health.ts";
import { inWorld, type RoundOptions } from "../worlds.ts";

const MB = 1024 * 1024;
const MEMORY = 50 * MB;
/** Allowed slowdown of `/health` under load, by its median. */
const SLOWER = 3;
const REST = 5000;
const WARM_UP = 3;

export const strangers: Suite = {
  name: "strangers",
  async run(context) {
    const rounds = context.short ? 2 : 10;
    const title = `400 callers without a credential with 8 MB each, × ${rounds}: memory + ≤ 50 MB, /health ≤ 3 × its time at rest [S3] [P34]`;
    await context.test(title, () => manyStrangers(context, rounds));
    const first = `400 such callers in the same moment, first thing on a new host, × ${rounds}: memory + ≤ 50 MB [S3] [P34]`;
    await context.test(first, () => strangersTogether(context, rounds));
  },
};

export function manyStrangers(
  context: Context,
  rounds: number,
  options: RoundOptions = {},
): Promise<string[]> {
  return inWorld(options, async (world) => {
    // The same number of callers with small bodies first, so that the memory for connections is not
    // counted.
    await send(world.url, WARM_UP, 100);
    const resting = new Health(world);
    await sleep(REST);
    const { taken: rest } = await resting.end();
    const busy = new Health(world);
    const grown = await memoryOf(world.hostPid, async () => {
      const told = await send(world.url, rounds, Number.MAX_SAFE_INTEGER);
      context.say(`answers: ${told}`);
    });
    const { taken: during } = await busy.end();
    context.say(
      `memory + ${Math.round(grown / MB)} MB; /health at rest ${rest}; with strangers ${during}`,
    );
    const slower = during.percentile(50) / rest.percentile(50);
    context.say(`/health takes ${slower.toFixed(1)} × its time at rest by the median`);
    return [
      ...(grown > MEMORY ? [`memory grew by ${Math.round(grown / MB)} MB`] : []),
      ...(slower > SLOWER ? [`/health took ${slower.toFixed(1)} × its time at rest`] : []),
    ];
  });
}

/** Uses a new host, so that memory for connections, code and garbage counts too. */
async function strangersTogether(context: Context, rounds: number): Promise<string[]> {
  const failures: string[] = [];
  for (let round = 0; round < rounds; round++) {
    await inWorld({}, async (world) => {
      const grown = await memoryOf(world.hostPid, async () => {
        const told = await send(world.url, 1, Number.MAX_SAFE_INTEGER, "together");
        context.say(`answers: ${told}`);
      });
      context.say(`memory + ${Math.round(grown / MB)} MB`);
      if (grown > MEMORY) failures.push(`memory grew by ${Math.round(grown / MB)} MB`);
    });
  }
  return failures;
}

async function send(
  url: string,
  rounds: number,
  most: number,
  how: "spread" | "together" = "spread",
): Promise<string> {
  const load = fileURLToPath(new URL("../strangers-load.ts", import.meta.url));
  const { port } = new URL(url);
  const args = ["--conditions=holdfast-source", load, port, String(rounds), String(most), how];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}
