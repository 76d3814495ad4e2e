import { afterEach, expect, test } from "vitest";
import { randomKills } from "./kills.ts";
import { seeded } from "./seeds.ts";
import { World } from "./world.ts";

const worlds: World[] = [];

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

test("8 kills of host, holder and agent at random moments: the text of a run is never lost, repeated or reordered, and a missing end is reported [R003-4] [R003-37] [R004-2] [U1] [U6]", {
  timeout: 120_000,
}, async () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`kills: seed ${seed}`);
  const world = new World({ pace: 10 });
  worlds.push(world);
  await world.start();
  const tally = await randomKills(world, 8, seeded(seed));
  expect(tally.problems).toEqual([]);
  expect(tally.kills.host).toBeGreaterThan(0);
  expect(tally.runs).toBeGreaterThan(0);
});
