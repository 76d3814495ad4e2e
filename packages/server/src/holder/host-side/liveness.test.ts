import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, expect, test } from "vitest";
import { identify, isSameProcess, listProcesses, psRows } from "../../base/processes.ts";
import { claimDead, readIdentity } from "../directory/identity.ts";
import { writeLaunchFile } from "../directory/launch-file.ts";
import {
  endHolders,
  holdersRoot,
  removeHolders,
  startHolder,
  TestHolder,
  until,
} from "../testing/holders.ts";
import { listHolders } from "./list-holders.ts";
import { killHolder, livenessOf } from "./liveness.ts";
import { readSpool } from "./read-spool.ts";
import { spawnHolder } from "./spawn.ts";

afterEach(endHolders);
afterAll(removeHolders);

const graces = { graceIdleMs: 60_000, graceOpenMs: 60_000 };
const launchOf = (holderId: string) => ({
  holderId,
  sessionId: "session",
  nonce: "nonce",
  version: "test",
  umask: 0o022,
  ...graces,
});

test("a holder that answers is alive, and asking does not disturb its host", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  expect(await livenessOf(holder.dir, 5_000)).toBe("alive");
  expect(await host.asks("echo", "echo")).toEqual({});
  expect(listHolders(holdersRoot())).toContainEqual({ holderId: holder.id, sessionId: "session" });
});

test("a holder that never started is dead, and can never start an agent", async () => {
  const dir = join(holdersRoot(), "late");
  mkdirSync(dir, { mode: 0o700 });
  writeLaunchFile(dir, launchOf("late"));
  expect(await livenessOf(dir, 5_000)).toBe("dead");
  expect(readIdentity(dir)).toEqual({ kind: "tombstone" });

  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const late = spawn(process.execPath, [main, dir], { cwd: dir, stdio: "ignore" });
  const [code] = await once(late, "exit");
  expect(code).toBe(0);
  expect(readdirSync(dir).toSorted()).toEqual(["identity", "launch.json"]);
  expect(readIdentity(dir)).toEqual({ kind: "tombstone" });
  expect(await killHolder(dir)).toBe(true);
});

test("a holder whose host died before it created the directory is dead, and the directory is claimed", async () => {
  const root = join(holdersRoot(), ".unmade");
  expect(await livenessOf(join(root, "never"), 5_000)).toBe("dead");
  await expect(spawnHolder({ root, ...launchOf("never") })).rejects.toThrow("EEXIST");
  expect(listHolders(root)).toEqual([{ holderId: "never", sessionId: "" }]);
  expect(listHolders(join(root, "nowhere"))).toEqual([]);
});

test("a tombstone is refused while the holder is alive", async () => {
  const holder = await startHolder();
  expect(claimDead(holder.dir)).toBe(false);
  expect(await livenessOf(holder.dir, 5_000)).toBe("alive");
});

test("a reused pid is not mistaken for the earlier process", () => {
  const self = identify(process.pid);
  if (self === null) throw new Error("There is no such process as this one.");
  expect(isSameProcess(self)).toBe(true);
  expect(isSameProcess({ ...self, startTime: "1" })).toBe(false);
  expect(isSameProcess({ ...self, kernelBoot: "another" })).toBe(false);
});

test("ps finds the same processes as /proc", () => {
  const byProc = listProcesses().find(({ pid }) => pid === process.pid);
  const byPs = psRows(["-p", String(process.pid)])[0];
  expect(byPs).toMatchObject({ ...byProc, session: 0, startTime: expect.stringMatching(/\d{4}$/) });
});

test("a failed start reports the holder's own error", async () => {
  const root = join(holdersRoot(), ".broken");
  const environment = { NODE_OPTIONS: "--import=/nowhere/at-all.mjs" };
  const start = spawnHolder({ root, ...launchOf("broken"), environment });
  await expect(start).rejects.toThrow("at-all.mjs");
});

test.each([
  ["an idle one soon", "echo", 100],
  ["one with an open turn later", "hold", 600],
])("without a host a holder ends after its grace time, %s", async (_which, method, grace) => {
  const holder = await startHolder({ graceIdleMs: 100, graceOpenMs: 600 });
  const host = await holder.connect();
  await host.launched();
  host.link.request("prompt/1", method, {});
  await host.sees(method === "echo" ? "response" : "sent");
  host.link.close();
  const start = performance.now();
  await until("the holder's end", () => !holder.isThere);
  expect(performance.now() - start).toBeGreaterThan(grace - 20);
  const exit = [...readSpool(holder.dir, host.last)].flat().at(-1);
  expect(exit).toMatchObject({
    k: "exit",
    reason: "grace",
    lost: method === "hold" ? ["prompt/1"] : [],
  });
  expect(holder.processes()).toEqual([]);
  expect(existsSync(join(holder.dir, "s"))).toBe(false);
});

test("a silent host counts as connected: no grace runs out", async () => {
  const holder = await startHolder({ graceIdleMs: 1_000, graceOpenMs: 1_000 });
  const host = await holder.connect();
  await host.launched();
  // Longer than both graces, because only time can show that the holder does not end.
  await new Promise((resolve) => setTimeout(resolve, 1_300));
  expect(await host.asks("echo", "echo")).toEqual({});
});

test("neither holder nor agent keeps an inherited descriptor", async () => {
  const secret = join(holdersRoot(), "inherited");
  writeFileSync(secret, "");
  const id = `inheriting-${process.pid}`;
  const script = join(holdersRoot(), "host.mjs");
  const spawnFile = new URL("./spawn.ts", import.meta.url).href;
  const options = { root: holdersRoot(), ...launchOf(id) };
  writeFileSync(
    script,
    `import { spawnHolder } from ${JSON.stringify(spawnFile)};
     await spawnHolder(${JSON.stringify(options)});`,
  );
  // 20 is above the descriptors that Node itself closes at its start.
  const redirect = `exec "$0" "$1" 20>"$2"`;
  const args = ["-c", redirect, process.execPath, script, secret];
  const [code] = await once(spawn("bash", args, { stdio: "inherit" }), "exit");
  expect(code).toBe(0);

  const holder = new TestHolder(id);
  const files = readdirSync(`/proc/${holder.pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${holder.pid}/fd/${fd}`);
    } catch {
      return "";
    }
  });
  expect(files).not.toContain(secret);
  const host = await holder.connect();
  const env = { PATH: "/usr/bin:/bin" };
  const look = ["-c", "cd /proc/self/fd; echo *; read x"];
  await host.launched({ command: "/bin/sh", args: look, cwd: "/", env });
  // The fourth is the descriptor of the listing itself.
  expect((await host.sees("noise")).text.trim()).toBe("0 1 2 3");
  expect(readFileSync(join(holder.dir, "log"), "utf8")).toBe("");
  await holder.kill();
});

test.each([true, false])(
  "a holder's files are private to its owner, an agent's follow its user's umask [S16] (namespace: %s)",
  async (namespaces) => {
    const holder = await startHolder({ namespaces, umask: 0o027 });
    const host = await holder.connect();
    const script = 'umask; : > "$0"; read x';
    const made = holder.file("made");
    const env = { PATH: "/usr/bin:/bin" };
    await host.launched({ command: "/bin/sh", args: ["-c", script, made], cwd: "/", env });
    expect((await host.sees("noise")).text.trim()).toBe("0027");
    await until("its file", () => existsSync(made));
    expect(modeOf(made)).toBe(0o640);
    const open = readdirSync(holder.dir).filter((name) => !name.startsWith("test-"));
    expect(open.filter((name) => (modeOf(join(holder.dir, name)) & 0o077) !== 0)).toEqual([]);
  },
);

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
