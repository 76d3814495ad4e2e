import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { nodeFlags } from "../../base/node-flags.ts";
import { identify } from "../../base/processes.ts";
import { readIdentity } from "../directory/identity.ts";
import { killHolder } from "./liveness.ts";
import { answersHello } from "./probe.ts";
import { SpareHolder } from "./spare-holder.ts";
import { spawnHolder } from "./spawn.ts";

const roots: string[] = [];

afterEach(async () => {
  for (const root of roots.splice(0)) {
    for (const name of readdirSync(root).filter((file) => file.startsWith("hold_"))) {
      await killHolder(join(root, name));
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
});

function place() {
  const root = mkdtempSync(join(tmpdir(), "holdfast-spare-"));
  roots.push(root);
  const spare = new SpareHolder();
  const launch = (holderId: string) =>
    spawnHolder({
      root,
      spare,
      holderId,
      sessionId: "sess_1",
      nonce: "n",
      version: "1",
      umask: 0o022,
      graceIdleMs: 60_000,
      graceOpenMs: 60_000,
    });
  return { root, spare, launch };
}

function pidOf(dir: string): number {
  const identity = readIdentity(dir);
  return identity?.kind === "holder" ? identity.pid : 0;
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => identify(pid), { interval: 5, timeout: 5_000 }).toBeNull();
}

test("a launch uses the waiting spare, which is then a holder like any other", async () => {
  const { root, spare, launch } = place();
  spare.fill();
  const waiting = spare.pid;
  await launch("hold_1");
  const dir = join(root, "hold_1");
  expect(await answersHello(dir, 1000)).toBe(true);
  const pid = pidOf(dir);
  expect(pid).toBe(waiting);
  // It works in that directory and keeps no descriptor of its host.
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(dir);
  expect(readlinkSync(`/proc/${pid}/fd/0`)).toBe("/dev/null");
  expect(readlinkSync(`/proc/${pid}/fd/2`)).toBe(join(dir, "log"));
  expect(readFileSync(`/proc/${pid}/cmdline`, "latin1")).not.toContain(dir);
});

test("without a waiting spare, a holder is started as usual", async () => {
  const { root, launch } = place();
  await launch("hold_1");
  expect(await answersHello(join(root, "hold_1"), 1000)).toBe(true);
});

test("when the spare is killed as it is used, another holder is started", async () => {
  const { root, spare, launch } = place();
  spare.fill();
  const pid = spare.pid ?? 0;
  const launched = launch("hold_1");
  process.kill(pid, "SIGKILL");
  await launched;
  expect(await answersHello(join(root, "hold_1"), 1000)).toBe(true);
  expect(pidOf(join(root, "hold_1"))).not.toBe(pid);
});

test("a spare ends when it is no longer needed", async () => {
  const { spare } = place();
  spare.fill();
  const pid = spare.pid ?? 0;
  spare.end();
  await gone(pid);
  spare.fill();
  expect(spare.pid).toBeNull();
});

test("a spare ends with its host, and leaves no process", async () => {
  const { root } = place();
  const host = spawn(process.execPath, [
    ...[...nodeFlags(), "--input-type=module", "-e"],
    `import { SpareHolder } from ${JSON.stringify(new URL("./spare-holder.ts", import.meta.url).href)};
     const spare = new SpareHolder();
     spare.fill();
     console.log(spare.pid);
     setInterval(() => undefined, 1000);`,
  ]);
  const [said] = (await once(host.stdout, "data")) as [Buffer];
  const pid = Number(said.toString());
  expect(identify(pid)).not.toBeNull();
  host.kill("SIGKILL");
  await gone(pid);
  expect(readdirSync(root)).toEqual([]);
});
