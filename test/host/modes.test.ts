/**
 * File modes: the host's files are private to its owner; an agent's files have the modes that its
 * user's umask gives.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { World } from "../story/world.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("files in a user's repository are as open as the user's own [S16]", async () => {
  const repository = mkdtempSync(join(tmpdir(), "holdfast-repository-"));
  const world = new World();
  try {
    await startAs(0o002, world);
    const workspace = { kind: "in-place", path: repository } as const;
    const { id } = await world.create("/say hello", { workspace });
    await world.untilKind(id, "run.completed");
    const names = readdirSync(repository).filter((name) => !name.startsWith("."));
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect([name, modeOf(join(repository, name))]).toEqual([name, "664"]);

    const holders = join(world.data, "holders");
    expect(modeOf(holders)).toBe("700");
    const open = readdirSync(holders, { recursive: true, encoding: "utf8" }).filter(
      (name) => (statSync(join(holders, name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  } finally {
    await world.end();
    rmSync(repository, { recursive: true });
  }
});

/** Starts the host with this umask, which a process inherits from its parent. */
async function startAs(umask: number, world: World): Promise<void> {
  const before = process.umask(umask);
  try {
    await world.start();
  } finally {
    process.umask(before);
  }
}
