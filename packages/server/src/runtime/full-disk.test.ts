/** A disk that fills up while an agent works: the session goes on by itself once space is freed. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type EventKind, openRun, type SessionId } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../base/clock.ts";
import { readIdentity } from "../holder/directory/identity.ts";
import { readSpool } from "../holder/host-side/read-spool.ts";
import { fillDisk, fillToLastByte } from "../testing/full-disk.ts";
import { MemoryDisk, openMemoryJournal } from "../testing/memory-journal.ts";
import { endPlaces, isOutcome, openPlace, type Place, says } from "./testing/place.ts";

afterEach(endPlaces);

/** Without a sweep, so that the session must go on by itself. */
function open(data?: string): Promise<Place> {
  const policy = { fullRetry: 50, transientRetries: 0 };
  return openPlace(data === undefined ? { policy } : { data, policy });
}

async function goesOn(p: Place, id: SessionId): Promise<void> {
  expect(openRun(await p.sessions.state(id))).toBeNull();
  await p.prompt(id, "/say again");
  await p.until(id, says("again"));
}

function killAgent(p: Place): void {
  process.kill(p.agentPid(), "SIGKILL");
}

function killHolderOf(p: Place): void {
  const [dir = ""] = p.holders();
  const identity = readIdentity(dir);
  if (identity?.kind === "holder") process.kill(identity.pid, "SIGKILL");
}

describe("what does not fit is tried until it does [P8]", () => {
  test.each<[string, EventKind, string, (p: Place) => void]>([
    ["what an agent says", "text.appended", "/count=30", () => undefined],
    ["its last word", "run.completed", "/count=5", () => undefined],
    ["the end of an agent", "agent.exited", "/count=100000", killAgent],
    ["the end of its holder with it", "holder.exited", "/count=100000", killAgent],
    ["the end of a holder", "holder.exited", "/count=100000", killHolderOf],
  ])("%s (%s)", async (_, kind, prompt, harm) => {
    const p = await open();
    const id = await p.create();
    await p.prompt(id, prompt);
    await p.kind(id, "attempt.accepted");
    await p.until(id, says("<1>"));
    const refused = Promise.withResolvers<void>();
    const free = fillDisk(p.journal, kind, refused.resolve);
    harm(p);
    await refused.promise;
    free();
    await p.until(id, isOutcome);
    await goesOn(p, id);
  });
});

test("a session whose failed resume could not be recorded at once can be resumed again [P8]", async () => {
  const p = await open();
  const id = await p.create();
  await p.prompt(id, "/say first");
  await p.kind(id, "run.completed");
  await p.host?.runtimes.pause(id);
  const freeLaunch = fillDisk(p.journal, "holder.launched");
  const free = fillDisk(p.journal, "session.revive_failed", () => free());
  const resume = () => p.host?.runtimes.revive(id, "revive").done;
  await expect(resume()).rejects.toMatchObject({ code: "journal_full" });
  freeLaunch();
  expect(await resume()).toMatchObject({ rung: "native" });
  await goesOn(p, id);
});

/** A clock that holds back the timers of a cancel until `pass` is called. */
function cancelClock() {
  const clock = systemClock();
  const held: (() => void)[] = [];
  const after: Clock["after"] = (ms, call) => {
    if (ms !== cancelGrace && ms !== cancelGrace + killLimit) return clock.after(ms, call);
    held.push(call);
    return () => undefined;
  };
  return { clock: { ...clock, after }, pass: () => held.splice(0).map((call) => call()) };
}

const cancelGrace = 700_000;
const killLimit = 8_000;

/** True when the agent's answer to its prompt is in the holder's spool. */
async function hasAnswered(p: Place, id: SessionId): Promise<boolean> {
  const [dir = ""] = p.holders();
  const cursor = await p.journal.cursor(id, basename(dir));
  return JSON.stringify([...readSpool(dir, cursor)]).includes("stopReason");
}

test.each<EventKind>(["text.appended", "run.cancelled"])(
  "an agent that obeyed a cancel is not killed while its answer waits for the disk (%s) [P8] [P25]",
  async (kind) => {
    const { clock, pass } = cancelClock();
    const policy = { fullRetry: 50, transientRetries: 0, cancelGrace, killLimit };
    const p = await openPlace({ clock, policy });
    const id = await p.create();
    const runId = await p.prompt(id, "/count=100000");
    await p.until(id, says("<1>"));
    let refused = 0;
    const free = fillDisk(p.journal, kind, () => refused++);
    const fewMore = async () => {
      const before = refused;
      await expect.poll(() => refused >= before + 4 || p.errors.length > 0).toBe(true);
    };
    // Without refused text the end of the turn would be written at once.
    if (kind === "text.appended") await fewMore();
    await p.sessions.execute(id, "cancel", { runId });
    await expect.poll(() => hasAnswered(p, id)).toBe(true);
    await fewMore();
    pass();
    await fewMore();
    free();
    expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.cancelled" });
    await goesOn(p, id);
    expect(await p.of(id, "holder.launched")).toHaveLength(1);
    expect(p.errors).toEqual([]);
  },
);

test("a cancel after a restart does not kill an agent whose earlier output waits for the disk [P8] [P25]", async () => {
  const { clock, pass } = cancelClock();
  const policy = { fullRetry: 50, transientRetries: 0, adoptLimit: 100, cancelGrace, killLimit };
  const disk = new MemoryDisk();
  const p = await openPlace({ clock, policy, journal: await openMemoryJournal(disk) });
  const id = await p.create();
  const runId = await p.prompt(id, "/count=100000");
  await p.until(id, says("<1>"));
  await p.close();
  const journal = await openMemoryJournal(disk);
  const [dir = ""] = p.holders();
  const cursor = await journal.cursor(id, basename(dir));
  await expect.poll(() => [...readSpool(dir, cursor)].flat().length).toBeGreaterThan(10);
  let refused = 0;
  const free = fillDisk(journal, "text.appended", () => refused++);
  await p.open({ clock, policy, journal });
  await p.kind(id, "run.unreachable");
  await p.sessions.execute(id, "cancel", { runId });
  const before = refused;
  await expect.poll(() => refused).toBeGreaterThan(before + 4);
  pass();
  free();
  expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.cancelled" });
  await goesOn(p, id);
  expect(await p.of(id, "holder.launched")).toHaveLength(1);
});

const small = mkdtempSync(join(tmpdir(), "holdfast-small-"));
const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", small]).status === 0;

afterAll(() => {
  if (canMount) spawnSync("umount", ["-l", small]);
  rmSync(small, { recursive: true, force: true });
});

/**
 * Fills the disk to the last byte, also space that is freed meanwhile, until the journal reports
 * `journal_full`.
 */
async function fill(p: Place, id: SessionId, filler: string): Promise<void> {
  for (let n = 0, refused = 0; refused < 20; n++) {
    fillToLastByte(filler);
    if ((await rename(p, id, n)) === "journal_full") refused++;
  }
}

/** Returns the code of the refusal, or null. */
function rename(p: Place, id: SessionId, n: number): Promise<string | null> {
  return p.sessions.execute(id, "rename", { title: `${n} `.padEnd(500, "x") }).then(
    () => null,
    (error: { code: string }) => error.code,
  );
}

describe.skipIf(!canMount)("on a small disk that is really full [P8]", () => {
  test.each<[string, (p: Place) => void]>([
    ["an agent at work goes on, and nothing it said is lost", () => undefined],
    ["an agent that ended meanwhile is settled", killAgent],
    ["a holder that ended meanwhile is settled", killHolderOf],
  ])("%s", async (_, harm) => {
    const p = await open(mkdtempSync(join(small, "data-")));
    const id = await p.create();
    await p.prompt(id, "/count=300");
    await p.until(id, says("<1>"));
    const filler = join(small, "filler");
    await fill(p, id, filler);
    harm(p);
    rmSync(filler);
    const outcome = await p.until(id, isOutcome);
    const numbers = [...(await p.text(id)).matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(numbers.map((_n, i) => i + 1));
    if (outcome.kind === "run.completed") expect(numbers).toHaveLength(300);
    // An outcome is written at once; other writes only when the store has looked for space again.
    await expect.poll(() => rename(p, id, 0)).toBeNull();
    await goesOn(p, id);
  });
});
