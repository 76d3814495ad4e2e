import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { connectHolder } from "./host-side/link.ts";
import { readSpool } from "./host-side/read-spool.ts";
import { maxLineBytes } from "./spool/frames.ts";
import {
  agentSpec,
  endHolders,
  holdersRoot,
  removeHolders,
  startHolder,
  type TestHolder,
  until,
} from "./testing/holders.ts";

afterEach(endHolders);
afterAll(removeHolders);

const MB = 1024 * 1024;
const base64 = (text: string) => Buffer.from(text).toString("base64");

function spooled({ dir }: TestHolder): number {
  const spool = join(dir, "spool");
  return readdirSync(spool).reduce((sum, name) => sum + statSync(join(spool, name)).size, 0);
}

/** The peak memory of the holder's process. */
function peakMemory({ pid }: TestHolder): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

test("a flood of 200,000 lines arrives whole and in order, in bounded memory", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  host.link.request("flood", "flood", { lines: 200_000 });
  await host.sees("response");
  const ticks = host.of("line").map(({ line }) => (line.params as { i: number }).i);
  expect(ticks.length).toBe(200_000);
  expect(ticks.every((tick, i) => tick === i)).toBe(true);
  expect(peakMemory(holder)).toBeLessThan(256 * MB);
  // Acknowledged frames are deleted.
  await until("free spool", () => spooled(holder) <= 4 * MB);
});

test("a line of 100 MB is cut at the limit, and its agent is ended", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  await host.asks("up", "echo");
  host.link.request("prompt/1", "raw", { base64: base64("x".repeat(MB)), times: 100 });
  const exit = await host.sees("exit");
  expect(exit).toMatchObject({ reason: "line_too_long", lost: ["prompt/1"] });
  expect(peakMemory(holder)).toBeLessThan(256 * MB);
  expect(spooled(holder)).toBeLessThan(MB);
});

test("a line as long as the limit passes", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  const [head, tail] = ['{"method":"long","params":"', '"}'];
  const rest = "y".repeat(maxLineBytes - 31 * MB - head.length - tail.length);
  host.link.notify("raw/1", "raw", { base64: base64(head) });
  host.link.notify("raw/2", "raw", { base64: base64("x".repeat(MB)), times: 31 });
  host.link.notify("raw/3", "raw", { base64: base64(`${rest}${tail}\n`) });
  const { line } = await host.sees("line");
  expect(line.params).toBe("x".repeat(31 * MB) + rest);
});

test("output without a line end is cut", async () => {
  const holder = await startHolder({ limits: { maxLineBytes: MB } });
  const host = await holder.connect();
  const command = { command: "/bin/sh", args: ["-c", "exec cat /dev/zero"] };
  await host.launched({ ...command, cwd: "/", env: { PATH: "/usr/bin:/bin" } });
  expect(await host.sees("exit")).toMatchObject({ reason: "line_too_long" });
});

/** Waits until a file has stopped growing for longer than a busy machine might delay its writer. */
async function standsStill(path: string): Promise<void> {
  let [size, since] = [-1, 0];
  await until("the writer to stand still", () => {
    const now = statSync(path).size;
    if (now !== size) [size, since] = [now, performance.now()];
    return performance.now() - since > 300;
  });
}

test("at the spool's limit the agent waits, and continues when the host has acknowledged", async () => {
  const limits = { segmentBytes: MB, maxSpoolBytes: 4 * MB };
  const holder = await startHolder({ limits });
  const host = await holder.connect({ acks: false });
  const tee = holder.file("tee");
  await host.launched(agentSpec(`--tee=${tee}`));
  host.link.request("flood", "flood", { lines: 50_000, bytes: 400 });
  await until("a full spool", () => spooled(holder) >= 4 * MB);
  await standsStill(tee);
  expect(statSync(tee).size).toBeLessThan(6 * MB);
  expect(spooled(holder)).toBeLessThan(5 * MB);
  while (host.of("response").length === 0) {
    host.link.ack(host.last);
    const { last } = host;
    await until("more", () => host.last > last || host.of("response").length > 0);
  }
  expect(host.of("line").length).toBe(50_000);
  expect(spooled(holder)).toBeLessThan(5 * MB);
});

test("after a cancel the agent is read even if the spool is full, and only lines without a waiting request are lost", async () => {
  const limits = { segmentBytes: MB, maxSpoolBytes: 2 * MB };
  const holder = await startHolder({ limits });
  const host = await holder.connect({ acks: false });
  await host.launched();
  host.link.request("prompt/1", "flood", { lines: 50_000, bytes: 400 });
  await until("a full spool", () => spooled(holder) >= 2 * MB);
  host.link.notify("cancel/1", "hold", {}, { drain: true });
  const { line } = await host.sees("response");
  expect(line.result).toEqual({ lines: 50_000 });
  expect(spooled(holder)).toBeLessThan(4 * MB);

  // An agent's question is never discarded while it can be answered.
  host.link.request("ask/1", "ask", { id: 1 });
  host.link.ack(host.last);
  await host.sees("line", ({ line }) => line.method === "client/ask");
  host.link.end({ stdinMs: 5_000, termMs: 0 }, false);
  const exit = await host.sees("exit");
  const kept = host.of("line").filter(({ line }) => line.method === "tick").length;
  expect(kept).toBeLessThan(50_000);
  expect(exit.discarded).toBeGreaterThan(400 * (50_000 - kept));
});

test("a host that does not read costs no memory, and later gets every frame", async () => {
  const holder = await startHolder();
  const first = await holder.connect();
  await first.launched();
  first.link.close();
  const { dir } = holder;
  const link = await connectHolder({ dir, epoch: 2, acked: first.last, timeoutMs: 5_000 });
  link.request("flood", "flood", { lines: 100_000, bytes: 400 });
  await until("the whole flood in the spool", () => spooled(holder) > 40 * MB);
  expect(peakMemory(holder)).toBeLessThan(256 * MB);
  let next = 0;
  for await (const frames of link.frames) {
    for (const frame of frames) {
      if (frame.k === "line") expect((frame.line.params as { i: number }).i).toBe(next++);
    }
    if (frames.some(({ k }) => k === "response")) break;
  }
  expect(next).toBe(100_000);
});

const small = join(holdersRoot(), ".small");
const canMount = mountSmall();

function mountSmall(): boolean {
  mkdirSync(small, { recursive: true });
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", small]).status === 0;
}

afterAll(() => {
  if (canMount) spawnSync("umount", ["-l", small]);
});

test.skipIf(!canMount)(
  "on a full disk agent and orders wait, and both continue when space is freed",
  async () => {
    const holder = await startHolder({ root: small, limits: { segmentBytes: 256 * 1024 } });
    const host = await holder.connect({ acks: false });
    await host.launched();
    host.link.request("flood", "flood", { lines: 50_000, bytes: 400 });
    await until("a full disk", () => statfsSync(small).bfree * 4096 < 256 * 1024);
    host.link.request("echo", "echo", {});
    // Failed writes left no partial records, even after many retries.
    await until("all there was room for", () => {
      const spooledFrames = [...readSpool(holder.dir, 0)].flat();
      return spooledFrames.length > 5_000 && spooledFrames.length === host.frames.length;
    });
    host.link.ack(host.last);
    await until("more", () => host.frames.length > 10_000);
    expect([...readSpool(holder.dir, host.last - 1)].flat().length).toBeGreaterThan(0);
    while (host.of("response").length < 2) {
      host.link.ack(host.last);
      const { last } = host;
      await until("more", () => host.last > last || host.of("response").length === 2);
    }
    expect(host.of("line").map(({ line }) => (line.params as { i: number }).i)).toEqual(
      Array.from({ length: 50_000 }, (_, i) => i),
    );
    expect(host.of("response").map(({ key }) => key)).toEqual(["flood", "echo"]);
  },
);

test.skipIf(!canMount)(
  "on a full disk a holder that is told to leave stays until its last frame is written [P8]",
  async () => {
    const holder = await startHolder({ root: small });
    const host = await holder.connect();
    // The exit frame does not fit into the rest of the last page.
    const args = ["-c", "printf '%5000s' x >&2; read line"];
    await host.launched({ ...agentSpec(), command: "/bin/sh", args });
    host.link.close();
    const filler = join(small, "filler");
    fill(filler);
    process.kill(holder.pid, "SIGTERM");
    await until("the agent's end", () => holder.processes().length === 0);
    rmSync(filler);
    await until("the holder's end", () => !holder.isThere);
    const frames = [...readSpool(holder.dir, host.last)].flat();
    expect(frames).toMatchObject([{ k: "exit", reason: "stopped" }]);
  },
);

function fill(path: string): void {
  const file = openSync(path, "a");
  expect(() => {
    for (;;) writeSync(file, Buffer.alloc(4096, "full"));
  }).toThrow("ENOSPC");
  closeSync(file);
}
