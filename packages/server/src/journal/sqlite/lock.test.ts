import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchOf, readAll, startSession } from "../../testing/journal-steps.ts";
import { entryFile } from "./entry.ts";
import { openSqliteJournal, type SqliteJournal } from "./open.ts";
import { temporaryDirectory } from "./test-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let dir: string;
let journal: SqliteJournal;

beforeEach(async () => {
  directory = temporaryDirectory();
  dir = join(directory.dir, "data");
  journal = await openSqliteJournal({ dir });
});

afterEach(async () => {
  await journal.close();
  directory.remove();
});

/** In a process of its own: reading these files here would drop this process's locks on them. */
function bytesOfFiles(): string {
  return execFileSync("sh", ["-c", `cd "${dir}" && stat -c '%n %s %Y' * && cat * | sha256sum`], {
    encoding: "utf8",
  });
}

const openInAnotherProcess = `
  const { openSqliteJournal } = await import(process.argv[1]);
  try { await openSqliteJournal({ dir: process.argv[2] }); console.log("opened"); }
  catch (error) { console.log(error.code, error.message); }
  process.exit(0);
`;

function secondProcess(): string {
  const args = ["--conditions=source", "--input-type=module", "-e", openInAnotherProcess];
  return execFileSync(process.execPath, [...args, entryFile("open").href, dir], {
    encoding: "utf8",
  });
}

test("[F4] a second host is refused before it touches any file, from this process and from another", async () => {
  const session = await startSession(journal, 3);
  const before = bytesOfFiles();
  await expect(openSqliteJournal({ dir })).rejects.toMatchObject({ code: "data_locked" });
  expect(secondProcess()).toMatch(/^data_locked Another Holdfast process is using/);
  expect(bytesOfFiles()).toBe(before);
  await journal.append(batchOf(journal, session, 3, 1));
  expect((await readAll(journal, session)).length).toBe(4);
  expect(secondProcess()).toMatch(/^data_locked/);
});

test("the lock is free once the journal is closed", async () => {
  await journal.close();
  journal = await openSqliteJournal({ dir });
  expect(journal.epoch).toBe(2);
});

test("only the owner can read the files", async () => {
  await startSession(journal, 1);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(dir))
    expect([name, statSync(join(dir, name)).mode & 0o777]).toEqual([name, 0o600]);
});

test("a file of a newer version is refused and left as it is", async () => {
  await startSession(journal, 1);
  await journal.close();
  const path = join(dir, "journal.db");
  const database = new DatabaseSync(path);
  database.exec("pragma user_version = 99; pragma wal_checkpoint(truncate)");
  database.close();
  const before = readFileSync(path);
  await expect(openSqliteJournal({ dir })).rejects.toMatchObject({ code: "data_too_new" });
  expect(readFileSync(path).equals(before)).toBe(true);
});
