import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteJournal } from "../open.ts";
import { ballastBytes, temporaryDirectory } from "../testing/test-directory.ts";
import { makeDirectory } from "./files.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let dir: string;

beforeEach(() => {
  directory = temporaryDirectory();
  chmodSync(directory.dir, 0o755);
  dir = join(directory.dir, "data");
});

afterEach(() => {
  chmodSync(dir, 0o700);
  directory.remove();
});

/** Root may write anywhere, so the process drops that right once its code is loaded. */
const openAsAnyone = `
  const { openSqliteJournal } = await import(process.argv[1]);
  if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
  await openSqliteJournal({ dir: process.argv[2] }).catch(({ name, code, message }) => {
    console.log(JSON.stringify({ name, code, message }));
  });
`;

function refusal(): unknown {
  const args = ["--conditions=holdfast-source", "--input-type=module", "-e", openAsAnyone];
  const found = spawnSync(
    process.execPath,
    [...args, new URL("../open.ts", import.meta.url).href, dir],
    {
      encoding: "utf8",
      timeout: 20_000,
    },
  );
  return JSON.parse(found.stdout);
}

const unusable = { name: "HostError", code: "data_unusable", message: /choose another/ };

test("a directory that cannot be written is refused, empty or in use", async () => {
  mkdirSync(dir);
  chmodSync(dir, 0o555);
  expect(refusal()).toMatchObject(unusable);
  expect(readdirSync(dir)).toEqual([]);
  chmodSync(dir, 0o700);
  await (await openSqliteJournal({ dir, ballastBytes })).close();
  chmodSync(dir, 0o555);
  expect(refusal()).toMatchObject(unusable);
});

test("a file that is not ours to write is refused", () => {
  mkdirSync(dir);
  chmodSync(dir, 0o777);
  writeFileSync(join(dir, "lock.db"), "", { mode: 0o400 });
  expect(refusal()).toMatchObject({ ...unusable, message: /lock.db cannot be made or written/ });
});

test("a directory in the place of a file is refused", async () => {
  mkdirSync(join(dir, "lock.db"), { recursive: true });
  await expect(openSqliteJournal({ dir, ballastBytes })).rejects.toMatchObject(unusable);
});

test("a file in the place of the directory is named as one", () => {
  writeFileSync(dir, "mine");
  expect(() => makeDirectory(dir)).toThrow(`${dir} is a file where a directory is needed`);
});

test("the missing directories of a path are created for their owner alone, and a second call has no effect", () => {
  for (let i = 0; i < 2; i++) makeDirectory(join(dir, "a", "b", "..", "c"));
  expect(readdirSync(join(dir, "a"))).toEqual(["c"]);
  for (const name of [".", "a", "a/c"]) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o700);
});
