import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { restartWhenKilled } from "./restart-when-killed.ts";

const child = (code: string) => () => spawn(process.execPath, ["-e", code], { stdio: "ignore" });
const killed = child("process.kill(process.pid, 'SIGKILL')");

test("a host that is killed again and again is given up after growing pauses", async () => {
  const said: string[] = [];
  const pauses: number[] = [];
  const code = await restartWhenKilled({
    start: killed,
    data: "/nowhere",
    say: (line) => said.push(line),
    now: () => 0,
    sleep: async (ms) => pauses.push(ms),
  });
  expect(code).toBe(1);
  expect(pauses).toEqual([200, 400, 800, 1600, 3200]);
  expect(said.at(-1)).toContain("killed 6 times in a row; giving up.");
});

test("a host that ran for a while before it was killed is restarted each time", async () => {
  const starts = [...Array.from({ length: 9 }, () => killed), child("process.exitCode = 7")];
  let now = 0;
  const code = await restartWhenKilled({
    start: () => (starts.shift() as typeof killed)(),
    data: "/nowhere",
    say: () => undefined,
    now: () => {
      now += 11_000;
      return now;
    },
    sleep: async () => undefined,
  });
  expect([code, starts.length]).toEqual([7, 0]);
});

test("a host that was started by hand meanwhile and is stopped on purpose is not replaced", async () => {
  const data = mkdtempSync(join(tmpdir(), "holdfast-again-"));
  const lock = new DatabaseSync(join(data, "lock.db"));
  lock.exec("create table lock (holder)");
  const said: string[] = [];
  let starts = 0;
  const code = await restartWhenKilled({
    start: () => {
      starts++;
      return killed();
    },
    data,
    say: (line) => said.push(line),
    now: () => 0,
    sleep: async () => {
      if (said.length === 1) lock.exec("begin exclusive");
      else lock.close();
    },
  });
  expect([code, starts]).toEqual([0, 1]);
  expect(said.at(-1)).toContain("another host was started on this data");
});
