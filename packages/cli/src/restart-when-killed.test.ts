import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { restartWhenKilled } from "./restart-when-killed.ts";

const child = (code: string) => () => spawn(process.execPath, ["-e", code], { stdio: "ignore" });
const killed = child("process.kill(process.pid, 'SIGKILL')");

test("a host that is killed again and again is given up after growing pauses", async () => {
  const said: string[] = [];
  const pauses: number[] = [];
  const code = await restartWhenKilled({
    start: killed,
    say: (line) => said.push(line),
    now: () => 0,
    sleep: async (ms) => pauses.push(ms),
  });
  expect(code).toBe(1);
  expect(pauses).toEqual([200, 400, 800, 1600, 3200]);
  expect(said.at(-1)).toContain("killed 6 times in a row; it is not started again");
});

test("a host that ran for a while before it was killed is restarted each time", async () => {
  const starts = [...Array.from({ length: 9 }, () => killed), child("process.exitCode = 7")];
  let now = 0;
  const code = await restartWhenKilled({
    start: () => (starts.shift() as typeof killed)(),
    say: () => undefined,
    now: () => {
      now += 11_000;
      return now;
    },
    sleep: async () => undefined,
  });
  expect([code, starts.length]).toEqual([7, 0]);
});
