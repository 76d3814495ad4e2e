/** Tests for a journal that is older than its holders: restored from a backup, or replaced. */

import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRun, type SessionId } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { backupData } from "../backup.ts";
import { isSameProcess } from "../base/processes.ts";
import { readIdentity } from "../holder/directory/identity.ts";
import { HolderRefused } from "../holder/host-side/link.ts";
import { killHolder } from "../holder/host-side/liveness.ts";
import { SpoolGap } from "../holder/host-side/read-spool.ts";
import { endPlaces, openPlace as open, Place, says } from "./testing/place.ts";

afterEach(endPlaces);

/**
 * Saves a copy of the closed journal, which is then a single file, and returns a function to
 * restore it.
 */
function save({ data }: Place): () => void {
  const journal = join(data, "journal.db");
  copyFileSync(journal, `${journal}.saved`);
  return () => renameSync(`${journal}.saved`, journal);
}

const lives = (dir: string) => {
  const identity = readIdentity(dir);
  return identity?.kind === "holder" && isSameProcess(identity);
};

/** A working agent whose holder has dropped frames that the saved journal lacks. */
async function farAhead(p: Place): Promise<{ id: SessionId; restore: () => void }> {
  const id = await p.create();
  await p.prompt(id, "/count=40 /flood=40000 /count=100000");
  await p.until(id, says("<1>"));
  await p.close();
  const restore = save(p);
  await p.open();
  await p.until(id, says("<41>"));
  await p.close();
  return { id, restore };
}

/** The run was interrupted once, with the true reason, and the session goes on. */
async function settled(p: Place, id: SessionId): Promise<void> {
  expect(await p.of(id, "run.interrupted")).toMatchObject([{ reason: "process_restart" }]);
  expect(await p.of(id, "holder.exited")).toMatchObject([{ reason: "journal_mismatch" }]);
  expect(openRun(await p.sessions.state(id))).toBeNull();
  await p.prompt(id, "/say again");
  await p.until(id, says("again"));
}

test("a live holder that has dropped frames the journal lacks is killed, and no frame behind the gap is journalled [P12] [P24]", async () => {
  const p = await open();
  const { id, restore } = await farAhead(p);
  restore();
  const [holder = ""] = p.holders();
  expect(lives(holder)).toBe(true);
  await p.open();
  expect(lives(holder)).toBe(false);
  expect(p.errors.some((error) => error instanceof HolderRefused)).toBe(true);
  expect(await p.text(id)).not.toContain("<41>");
  await settled(p, id);
});

test("no frame behind the gap of a dead holder is journalled either [P12]", async () => {
  const p = await open();
  const { id, restore } = await farAhead(p);
  for (const holder of p.holders()) await killHolder(holder);
  restore();
  await p.open();
  expect(p.errors.some((error) => error instanceof SpoolGap)).toBe(true);
  expect(await p.text(id)).not.toContain("<41>");
  await settled(p, id);
});

test("a holder that has seen a later epoch does not lock a restored journal out, and what it kept is not lost [P12]", async () => {
  const p = await open();
  const id = await p.create();
  await p.prompt(id, "/count=100000");
  await p.until(id, says("<1>"));
  await p.close();
  const restore = save(p);
  for (const more of ["<20>", "<40>"]) {
    await p.open();
    await p.until(id, says(more));
    await p.close();
  }
  restore();
  await p.open();
  expect(p.errors).toMatchObject([{ code: "old_epoch" }]);
  const numbers = [...(await p.text(id)).matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));
  expect(numbers.length).toBeGreaterThanOrEqual(40);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  await settled(p, id);
});

test("a host whose files were replaced kills no holder of the one that is there now [P6]", async () => {
  const p = await open();
  const id = await p.create();
  await p.prompt(id, "/count=300");
  await p.until(id, says("<5>"));
  const [copy, aside] = [`${p.data}-copy`, `${p.data}-aside`];
  await backupData(p.journal, p.data, copy);
  const move = (from: string, to: string) => {
    for (const name of ["lock.db", "journal.db", "journal.db-wal", "journal.db-shm"]) {
      renameSync(join(from, name), join(to, name));
    }
  };
  mkdirSync(aside);
  move(p.data, aside);
  renameSync(join(copy, "journal.db"), join(p.data, "journal.db"));
  const next = new Place(p.data);
  await next.open();
  try {
    await next.kind(id, "run.completed");
    expect(await next.of(id, "run.interrupted")).toEqual([]);
    expect(p.errors).toContainEqual(expect.objectContaining({ code: "fenced" }));
  } finally {
    await next.close();
    // The first host can be closed only with its files in their place.
    move(aside, p.data);
    for (const dir of [copy, aside]) rmSync(dir, { recursive: true });
  }
});
