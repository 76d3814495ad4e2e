/** A host whose data directory is removed or replaced, or in which another process writes. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { holdfast, startHost } from "./process.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-replaced-"));
afterAll(() => rmSync(root, { recursive: true }));

/** Runs `take` on the data of a running host; returns the host's exit code and output. */
async function robbed(data: string, take: () => void) {
  const ended = holdfast("serve", "--json", "--port", "0", "--data", data);
  await expect.poll(() => existsSync(join(data, "host.json")), { timeout: 20_000 }).toBe(true);
  take();
  const { code, stderr } = await ended;
  return { code, said: stderr.includes("is not the file that this host opened") };
}

// Concurrent, because each waits for the host's check, which comes every few seconds.
test.concurrent.each<[string, (data: string) => void]>([
  ["was removed", (data) => rmSync(data, { recursive: true })],
  ["was moved away, and another one is there", replace],
])(
  "a host whose data directory %s says so, ends, and writes no file there [P6]",
  async (name, take) => {
    const data = join(root, name);
    let left: unknown;
    const end = await robbed(data, () => {
      take(data);
      left = contents(data);
    });
    expect(end).toEqual({ code: 1, said: true });
    expect(contents(data)).toEqual(left);
  },
);

test.concurrent("a host whose lock file is gone ends, because another one could start beside it [P6]", async () => {
  const data = join(root, "unlocked");
  const end = await robbed(data, () => rmSync(join(data, "lock.db")));
  expect(end).toEqual({ code: 1, said: true });
});

test.concurrent("a host whose write-ahead log was removed ends, because further writes would be lost [P1]", async () => {
  const data = join(root, "unlogged");
  const end = await robbed(data, () => rmSync(join(data, "journal.db-wal")));
  expect(end).toEqual({ code: 1, said: true });
});

test("a host that is stopped before it notices the replacement leaves the new files alone [P6]", async () => {
  const data = join(root, "stopped");
  const host = await startHost(data);
  replace(data);
  const left = contents(data);
  expect(await host.end("SIGTERM")).toBe(1);
  expect(contents(data)).toEqual(left);
});

/** Replaces the directory by one that looks like another host's. */
function replace(data: string): void {
  renameSync(data, `${data} before`);
  mkdirSync(data);
  for (const name of ["lock.db", "journal.db", "journal.db-wal", "host.json"]) {
    writeFileSync(join(data, name), `another ${name}`);
  }
}

function contents(data: string): Record<string, string> {
  const names = existsSync(data) ? readdirSync(data) : [];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(data, name), "utf8")]));
}

test("a host that ends removes only its own host.json", async () => {
  const data = join(root, "said");
  const file = join(data, "host.json");
  const first = await startHost(data);
  expect(await first.end("SIGTERM")).toBe(0);
  expect(existsSync(file)).toBe(false);
  const second = await startHost(data);
  const other = JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), bootId: "another" });
  writeFileSync(file, other);
  expect(await second.end("SIGTERM")).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(other);
});
