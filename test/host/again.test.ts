import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { run } from "../cli/terminal.ts";
import { bin, type HostProcess, type Ready, startHost } from "./process.ts";

/** Starts `serve --restart` and collects its ready lines and its messages about ended hosts. */
function startKeeper(flag = "--restart") {
  const data = join(mkdtempSync(join(tmpdir(), "holdfast-again-")), "data");
  const args = [bin, "serve", flag, "--json", "--port", "0", "--data", data];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGTERM"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += String(chunk);
  });
  return {
    child,
    data,
    said: () => said,
    async ready(): Promise<Ready & { pid: number }> {
      const { value } = await lines.next();
      const ready = JSON.parse(String(value)) as Ready;
      const health = await (await fetch(`${ready.url}/health`)).json();
      return { ...ready, pid: health.pid };
    },
  };
}

/** Kills the host and starts another one by hand before its supervisor can. */
async function inPlaceOf(pid: number, data: string): Promise<HostProcess> {
  const { supervisor } = JSON.parse(readFileSync(join(data, "host.json"), "utf8"));
  process.kill(supervisor, "SIGSTOP");
  try {
    process.kill(pid, "SIGKILL");
    const host = await startHost(data);
    onTestFinished(() => void host.child.kill("SIGKILL"));
    return host;
  } finally {
    process.kill(supervisor, "SIGCONT");
  }
}

describe("holdfast serve --restart", () => {
  test.each([
    ["--restart", "SIGTERM"],
    ["--again", "SIGINT"],
  ] as const)(
    "with %s a killed host is restarted on the same data; %s ends both",
    async (flag, signal) => {
      const keeper = startKeeper(flag);
      const first = await keeper.ready();
      process.kill(first.pid, "SIGKILL");
      // A command at once after the kill waits for the next host.
      expect(await run(["ls", "--data", keeper.data])).toMatchObject({ code: 0 });
      const second = await keeper.ready();
      expect([second.token, second.url]).toEqual([first.token, first.url]);
      expect(second.bootId).not.toBe(first.bootId);
      expect(keeper.said()).toContain("the host was killed (SIGKILL); restarting it");
      const ended = once(keeper.child, "exit");
      keeper.child.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(() => process.kill(second.pid, 0)).toThrow("ESRCH");
    },
  );

  test("a host that was started by hand meanwhile is watched, and started again when it is killed", async () => {
    const keeper = startKeeper();
    const { pid } = await keeper.ready();
    const second = await inPlaceOf(pid, keeper.data);
    await expect.poll(keeper.said).toContain("another host was started on this data");
    await second.end("SIGKILL");
    await keeper.ready();
  });

  test("a host that exits normally is not restarted, and its exit code is kept", async () => {
    const keeper = startKeeper();
    const { pid } = await keeper.ready();
    const ended = once(keeper.child, "exit");
    process.kill(pid, "SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});
