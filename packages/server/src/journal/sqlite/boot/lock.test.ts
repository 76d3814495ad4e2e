import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchOf, readAll, sessionId, startSession } from "../../../testing/journal-steps.ts";
import { openSqliteJournal, type SqliteJournal } from "../open.ts";
import { ballastBytes, temporaryDirectory } from "../testing/test-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let dir: string;
let journal: SqliteJournal;

beforeEach(async () => {
  directory = temporaryDirectory();
  dir = join(directory.dir, "data");
  journal = await openSqliteJournal({ dir, ballastBytes });
});

afterEach(async () => {
  await journal.close();
  directory.remove();
});

const holdOpen = `
  const { openSqliteJournal } = await import(process.argv[2]);
  const { startSession } = await import(process.argv[3]);
  const journal = await openSqliteJournal({ dir: process.argv[4] });
  await startSession(journal, 3);
  console.log("open");
`;

/** Starts another host on the directory and stops it (SIGSTOP) in the middle of its work. */
async function stoppedHost(dir: string): Promise<ChildProcess> {
  const script = join(directory.dir, "host.mjs");
  writeFileSync(script, holdOpen);
  const steps = new URL("../../../testing/journal-steps.ts", import.meta.url).href;
  const args = [
    "--conditions=holdfast-source",
    script,
    new URL("../open.ts", import.meta.url).href,
    steps,
    dir,
  ];
  const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(host.stdout, "data");
  host.kill("SIGSTOP");
  return host;
}

function bytesOfFiles(dir: string): string[] {
  return readdirSync(dir).map((name) => {
    const { size, mtimeMs } = statSync(join(dir, name));
    const hash = createHash("sha256")
      .update(readFileSync(join(dir, name)))
      .digest("hex");
    return `${name} ${size} ${mtimeMs} ${hash}`;
  });
}

test("[F4] a second host is refused before it touches any file, also while the first one is stopped", async () => {
  const other = join(directory.dir, "other");
  const host = await stoppedHost(other);
  const before = bytesOfFiles(other);
  const second = openSqliteJournal({ dir: other, ballastBytes });
  await expect(second).rejects.toMatchObject({
    code: "data_locked",
    message: /Stop it, or choose/,
  });
  expect(bytesOfFiles(other)).toEqual(before);
  host.kill("SIGKILL");
  await once(host, "exit");
  const next = await openSqliteJournal({ dir: other, ballastBytes });
  expect((await readAll(next, sessionId(1))).length).toBe(3);
  await next.close();
});

test("[F4] a second journal in the same process is refused, and the first one keeps its lock", async () => {
  const session = await startSession(journal, 3);
  for (let i = 0; i < 2; i++) {
    await expect(openSqliteJournal({ dir, ballastBytes })).rejects.toMatchObject({
      code: "data_locked",
    });
  }
  await journal.append(batchOf(journal, session, 3, 1));
  expect((await readAll(journal, session)).length).toBe(4);
});

test("the lock is free once the journal is closed", async () => {
  await journal.close();
  journal = await openSqliteJournal({ dir, ballastBytes });
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
  await expect(openSqliteJournal({ dir, ballastBytes })).rejects.toMatchObject({
    code: "data_too_new",
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});
