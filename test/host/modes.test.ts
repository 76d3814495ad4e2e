/** For whom files are: the host's for its owner alone, an agent's for whom its user means them. */

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

    const compiled = join(world.data, "holders", ".compiled");
    expect(modeOf(compiled)).toBe("700");
    const open = readdirSync(compiled, { recursive: true, encoding: "utf8" }).filter(
      (name) => (statSync(join(compiled, name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  } finally {
    await world.end();
    rmSync(repository, { recursive: true });
  }
});

/** A process is born with the umask of whoever starts it. */
async function startAs(umask: number, world: World): Promise<void> {
  const before = process.umask(umask);
  try {
    await world.start();
  } finally {
    process.umask(before);
  }
}
