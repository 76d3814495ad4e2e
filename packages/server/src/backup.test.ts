import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backupData } from "./backup.ts";
import { openSqliteJournal } from "./journal/sqlite/open.ts";
import { ballastBytes, temporaryDirectory } from "./journal/sqlite/testing/test-directory.ts";

test("a backup into the data it copies is refused, also through links and mounts", async () => {
  const { dir: parent, remove } = temporaryDirectory();
  const data = join(parent, "data");
  const journal = await openSqliteJournal({ dir: data, ballastBytes });
  mkdirSync(join(data, "blobs"));
  symlinkSync(data, join(parent, "link"));
  symlinkSync(join(data, "blobs"), join(parent, "deep"));
  symlinkSync(join(data, "new"), join(parent, "dangling"));
  const before = readdirSync(data, { recursive: true });
  const inside = [data, join(data, "a/b"), join(data, "../data/a"), ...linked(parent)];
  for (const to of inside) {
    await expect(backupData(journal, data, to), to).rejects.toMatchObject({ code: "bad_input" });
  }
  await expect(backupData(journal, join(parent, "link"), join(data, "a"))).rejects.toMatchObject({
    code: "bad_input",
  });
  await expect(backupData(journal, data, join(parent, "dangling"))).rejects.toMatchObject({
    code: "data_unusable",
  });
  expect(readdirSync(data, { recursive: true })).toEqual(before);

  const beside = join(parent, "data-copy");
  expect(await backupData(journal, data, beside)).toMatchObject({ path: beside });
  await journal.close();
  remove();
});

/** The names in a directory, without the files that SQLite adds while it reads a journal. */
const namesIn = (dir: string) =>
  readdirSync(dir)
    .filter((name) => !name.startsWith("journal.db-"))
    .sort();

/** Mounts on `to` with the arguments `how`; false when this user or system cannot. */
function mounted(to: string, ...how: string[]): boolean {
  mkdirSync(to);
  return process.platform === "linux" && spawnSync("mount", [...how, to]).status === 0;
}

test.for([
  ["of its own", ["-t", "tmpfs", "none"]],
  ["bound from the same disk", ["--bind", "SOURCE"]],
] as const)(
  "a backup to a mount %s is written into it, again after one that was cut off",
  async ([, how], { skip }) => {
    const { dir: parent, remove } = temporaryDirectory();
    const data = join(parent, "data");
    const to = join(parent, "mount");
    const source = join(parent, "source");
    mkdirSync(source);
    if (!mounted(to, ...how.map((word) => (word === "SOURCE" ? source : word)))) {
      remove();
      console.warn("NOT TESTED: a backup to a mount point. It needs root on Linux.");
      skip();
    }
    const journal = await openSqliteJournal({ dir: data, ballastBytes });
    try {
      mkdirSync(join(to, "lost+found"));
      for (const name of ["unfinished-backup", "journal.db"]) writeFileSync(join(to, name), "");
      mkdirSync(join(data, "blobs"));
      expect(await backupData(journal, data, to)).toMatchObject({ path: to });
      expect(namesIn(to)).toEqual(["blobs", "journal.db", "lost+found"]);
      expect(readdirSync(parent).sort()).toEqual(["data", "mount", "source"]);
      await expect(backupData(journal, data, to)).rejects.toMatchObject({ code: "bad_input" });
      expect(namesIn(to)).toEqual(["blobs", "journal.db", "lost+found"]);
    } finally {
      await journal.close();
      spawnSync("umount", [to]);
      remove();
    }
  },
);

test("a backup to a link to an empty directory is written into that directory", async () => {
  const { dir: parent, remove } = temporaryDirectory();
  const data = join(parent, "data");
  const journal = await openSqliteJournal({ dir: data, ballastBytes });
  mkdirSync(join(parent, "real"));
  symlinkSync(join(parent, "real"), join(parent, "link"));
  await backupData(journal, data, join(parent, "link"));
  expect(namesIn(join(parent, "real"))).toEqual(["journal.db"]);
  expect(readdirSync(parent).sort()).toEqual(["data", "link", "real"]);
  await journal.close();
  remove();
});

function linked(parent: string): string[] {
  return ["link", "link/a", "deep", "deep/a/b"].map((name) => join(parent, name));
}
