import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { backupData } from "./backup.ts";
import { openSqliteJournal } from "./journal/sqlite/open.ts";
import { ballastBytes, temporaryDirectory } from "./journal/sqlite/test-directory.ts";

test("a backup into the data it copies is refused, whatever way leads there", async () => {
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

function linked(parent: string): string[] {
  return ["link", "link/a", "deep", "deep/a/b"].map((name) => join(parent, name));
}
