import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Clock, systemClock } from "../base/clock.ts";
import { killHolder } from "../holder/host-side/liveness.ts";
import { endPlaces, openPlace } from "./testing/place.ts";
import { answer, effects, heard, revive, say } from "./testing/resuming.ts";

afterEach(endPlaces);

const DAYS = 3 * 24 * 3600_000;

function daysLater(): Clock {
  const clock = systemClock();
  return { ...clock, now: () => clock.now() + DAYS, steady: () => clock.steady() + DAYS };
}

test("days later, after host, holder and agent died, a session goes on with its context, its files and its history [R001-1]", async () => {
  const p = await openPlace();
  const id = await p.create();
  await say(p, id, "/say remember the lighthouse");
  const { seq } = await p.sessions.state(id);
  await p.prompt(id, "/effect");
  await answer(p, id, await p.kind(id, "approval.requested"), "allow");
  await p.kind(id, "run.completed", seq);
  mkdirSync(join(p.workspace(id), "src"));
  writeFileSync(join(p.workspace(id), "src", "made.txt"), "by the agent's tool");
  const before = await p.sessions.open(id);
  await p.close();
  for (const dir of p.holders()) await killHolder(dir);

  await p.open({ clock: daysLater() });
  await p.host?.sweep();
  const after = await p.sessions.open(id);
  expect(after.transcript.messages).toEqual(before.transcript.messages);
  expect(effects(p, id)).toBe(1);
  expect(readFileSync(join(p.workspace(id), "src", "made.txt"), "utf8")).toContain("agent's tool");
  expect(await revive(p, id)).toMatchObject({ rung: "native", grade: "verified" });
  await say(p, id, "/say go on");
  // One agent session holds all three prompts, so it is the same conversation.
  expect(heard(p, id)).toEqual(["/say remember the lighthouse", "/effect", "/say go on"]);
});
