/** What a host does when its data directory is taken from under it, or another one writes there. */

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

/** Its exit code and last words, after `take` was done to its data. */
async function robbed(data: string, take: () => void) {
  const ended = holdfast("serve", "--json", "--port", "0", "--data", data);
  await expect.poll(() => existsSync(join(data, "host.json")), { timeout: 10_000 }).toBe(true);
  // Node itself makes a folder for what it compiles of a holder, when it starts and wherever that is.
  await expect
    .poll(() => readdirSync(join(data, "holders", ".compiled")).length)
    .toBeGreaterThan(0);
  take();
  const { code, stderr } = await ended;
  return { code, said: stderr.includes("is not the file that this host opened") };
}

// Each waits for a host to look around, which it does every few seconds.
test.concurrent.each<[string, (data: string) => void]>([
  ["was removed", (data) => rmSync(data, { recursive: true })],
  ["was moved away, and another one is there", replace],
])(
  "a host whose data directory %s says so, ends, and touches nothing there [P6]",
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

test.concurrent("a host whose lock file is gone ends: another one could begin beside it [P6]", async () => {
  const data = join(root, "unlocked");
  const end = await robbed(data, () => rmSync(join(data, "lock.db")));
  expect(end).toEqual({ code: 1, said: true });
});

test.concurrent("a host whose write-ahead log was removed ends: what it writes there is lost [P1]", async () => {
  const data = join(root, "unlogged");
  const end = await robbed(data, () => rmSync(join(data, "journal.db-wal")));
  expect(end).toEqual({ code: 1, said: true });
});

test("nor does it touch anything when it is told to stop before it has noticed [P6]", async () => {
  const data = join(root, "stopped");
  const host = await startHost(data);
  replace(data);
  const left = contents(data);
  expect(await host.end("SIGTERM")).toBe(1);
  expect(contents(data)).toEqual(left);
});

/** A host of that directory would look just like this. */
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

test("a host that ends takes only what it said of itself", async () => {
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
