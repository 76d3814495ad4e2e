/** The long form: `npm run test:kills [-- --kills N --seed S]`, with progress. */

import { parseArgs } from "node:util";
import { randomKills } from "./kills.ts";
import { seeded } from "./seeds.ts";
import { World } from "./world.ts";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "100" }, seed: { type: "string" } },
});
const kills = Number(values.kills);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const say = (line: string) => process.stderr.write(`kills: ${line}\n`);

say(`seed ${seed}`);
const begun = performance.now();
const world = new World({ pace: 10 });
await world.start();
try {
  const tally = await randomKills(world, kills, seeded(seed), (done) => {
    if (done % 10 === 0)
      say(`${done} of ${kills}, ${Math.round((performance.now() - begun) / 1000)} s`);
  });
  const { host, holder, agent } = tally.kills;
  say(
    `host ${host}, holder ${holder}, agent ${agent}; ${tally.runs} runs, ${tally.interrupted} interrupted`,
  );
  for (const problem of tally.problems) say(problem);
  const failed = tally.problems.length > 0 ? 1 : 0;
  process.stdout.write(`tests: ${1 - failed} passed, ${failed} failed, 0 skipped\n`);
  process.exitCode = failed;
} finally {
  await world.end();
}
