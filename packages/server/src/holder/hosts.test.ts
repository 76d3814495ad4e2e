import { once } from "node:events";
import { mkdirSync, readdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { readLaunchFile, writeLaunchFile } from "./directory/launch-file.ts";
import { connectHolderSocket } from "./host-side/holder-socket.ts";
import { connectHolder, HolderRefused } from "./host-side/link.ts";
import { answersHello } from "./host-side/probe.ts";
import { type HolderSays, holderOrders, holderProtocol } from "./spool/frames.ts";
import {
  endHolders,
  holdersRoot,
  removeHolders,
  startHolder,
  type TestHolder,
  TestHost,
  until,
} from "./testing/holders.ts";

afterEach(endHolders);
afterAll(removeHolders);

/** Sends raw text to a holder; returns the holder's whole answer. */
async function sayRaw(holder: TestHolder, text: string): Promise<string> {
  const socket = await connectHolderSocket(holder.dir, AbortSignal.timeout(5_000));
  socket.write(text);
  let heard = "";
  for await (const chunk of socket) heard += String(chunk);
  return heard;
}

test("an older host is refused, and a replaced host's orders are ignored", async () => {
  const holder = await startHolder();
  const first = await holder.connect({ epoch: 3 });
  await first.launched();
  await expect(holder.connect({ epoch: 2 })).rejects.toMatchObject({ code: "old_epoch" });

  const second = await holder.connect({ epoch: 3 });
  expect(await first.over()).toBeUndefined();
  expect(first.refusals).toMatchObject([{ key: null, code: "replaced" }]);
  first.link.request("stale", "echo", {});
  first.link.end({ stdinMs: 0, termMs: 0 }, true);
  expect(await second.asks("fresh", "echo")).toEqual({});
  expect(second.of("sent").map(({ key }) => key)).toEqual(["fresh"]);

  const third = await holder.connect({ epoch: 4, acked: second.last });
  expect(await second.over()).toBeUndefined();
  expect(second.refusals).toMatchObject([{ key: null, code: "replaced" }]);
  await expect(holder.connect({ epoch: 3 })).rejects.toThrow(HolderRefused);
  expect(third.link.hello).toMatchObject({
    agent: "running",
    last: second.last,
    protocol: holderProtocol,
  });
});

test("orders that were in flight when a host was replaced are ignored", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  process.kill(holder.pid, "SIGSTOP");
  const next = holder.connect({ epoch: 2 });
  // Both are read in one turn, in either order.
  host.link.request("a", "echo", {});
  process.kill(holder.pid, "SIGCONT");
  const second = await next;
  host.link.request("b", "echo", {});
  await second.asks("c", "echo");
  expect(second.of("sent").map(({ key }) => key)).not.toContain("b");
});

test("a connection without a hello and the nonce is refused", async () => {
  const holder = await startHolder();
  const hello = { t: "hello", protocol: holderProtocol, nonce: "wrong", epoch: 9, acked: 0 };
  const refused = async (said: unknown) => {
    const answer = await sayRaw(
      holder,
      `${typeof said === "string" ? said : JSON.stringify(said)}\n`,
    );
    return JSON.parse(answer) as HolderSays;
  };
  const badHello = { t: "refused", key: null, code: "bad_hello" };
  expect(await refused(hello)).toMatchObject(badHello);
  expect(await refused({ t: "ack", n: 1 })).toMatchObject(badHello);
  expect(await refused("GET / HTTP/1.1")).toMatchObject(badHello);
  expect(await refused("[]")).toMatchObject(badHello);
  expect(await answersHello(holder.dir, 5_000)).toBe(true);
  await holder.connect({ epoch: 0 });
});

test("a holder takes hosts of every protocol that it speaks, and tells them its orders", async () => {
  const holder = await startHolder();
  const nonce = readLaunchFile(holder.dir)?.nonce;
  const greeted = async (protocol: number) => {
    const socket = await connectHolderSocket(holder.dir, AbortSignal.timeout(5_000));
    socket.write(`${JSON.stringify({ t: "hello", protocol, nonce, epoch: 1, acked: 0 })}\n`);
    const [first] = await once(socket, "data");
    socket.destroy();
    return JSON.parse(String(first)) as HolderSays;
  };
  for (const protocol of [1, 2]) {
    expect(await greeted(protocol)).toMatchObject({
      t: "hello",
      protocol: 2,
      orders: holderOrders,
    });
  }
  expect(await greeted(3)).toMatchObject({ t: "refused", code: "bad_hello" });
});

test("a host that acknowledges unknown frames, or lacks deleted ones, is refused", async () => {
  const holder = await startHolder({ limits: { segmentBytes: 100 } });
  await expect(holder.connect({ acked: 1 })).rejects.toMatchObject({ code: "bad_hello" });
  const host = await holder.connect();
  await host.launched();
  for (let i = 0; i < 5; i++) await host.asks(`echo/${i}`, "echo");
  host.link.close();
  const next = await holder.connect({ epoch: 2, acked: host.last });
  await expect(holder.connect({ epoch: 3, acked: 0 })).rejects.toMatchObject({ code: "bad_hello" });
  expect(await next.asks("still", "echo")).toEqual({});
});

test("an invalid message is refused by its key and has no effect", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  const say = (said: unknown) =>
    (host.link as unknown as { say: (said: unknown) => void }).say(said);
  say({ t: "launch", key: "k1", spec: { command: "x" } });
  say({ t: "request", key: "k2" });
  say({ t: "dance", key: "k3" });
  say(null);
  await until("refusals", () => host.refusals.length === 4);
  expect(host.refusals.map(({ key, code }) => `${key} ${code}`)).toEqual([
    ...["k1 bad_message", "k2 bad_message", "k3 bad_message", "null bad_message"],
  ]);
  await host.launched();
});

test("a host that reconnects anywhere in the stream gets the rest without gap or duplicate", async () => {
  const holder = await startHolder({ limits: { segmentBytes: 64 * 1024 } });
  const first = await holder.connect({ acks: false });
  await first.launched();
  first.link.request("flood", "flood", { lines: 20_000, perWrite: 37 });
  let acked = 0;
  let seen = 0;
  for (let epoch = 2; ; epoch++) {
    const host = await holder.connect({ epoch, acked, acks: false });
    await until("frames", () => host.frames.length > 1_500 || host.of("response").length > 0);
    host.link.close();
    await host.over();
    for (const { line } of host.of("line")) {
      expect(line.params).toMatchObject({ i: seen });
      seen++;
    }
    // The journal may be ahead of the acknowledgement, never behind it.
    acked = host.last;
    if (host.of("response").length > 0) break;
  }
  expect(seen).toBe(20_000);
});

test("a holder whose path is too long for a socket can be reached", async () => {
  const root = join(holdersRoot(), "d".repeat(60), "e".repeat(60));
  const holder = await startHolder();
  mkdirSync(root, { recursive: true });
  renameSync(holder.dir, join(root, holder.id));
  symlinkSync(join(root, holder.id), holder.dir);
  expect(await answersHello(join(root, holder.id), 5_000)).toBe(true);
});

/** A server in a holder's directory that answers each message with the next of its lines. */
async function impostor(holderId: string, ...says: string[]): Promise<[string, Server]> {
  const dir = join(holdersRoot(), holderId);
  mkdirSync(dir, { recursive: true });
  const rest = { version: "test", umask: 0o022, graceIdleMs: 0, graceOpenMs: 0 };
  const launch = { holderId, sessionId: "s", nonce: "nonce", ...rest };
  writeLaunchFile(dir, launch);
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      socket.write(says.shift() ?? "");
      if (says.length === 0) socket.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(join(dir, "s"), resolve));
  return [dir, server];
}

const hello = (nonce: string) =>
  `${JSON.stringify({ t: "hello", protocol: 1, nonce, last: 9, agent: "none" })}\n`;
const frame = (n: number) => `${JSON.stringify({ n, k: "sent", key: `k${n}` })}\n`;

test.each([
  ["a gap", `${frame(2)}${frame(4)}`, "Frame 4 came behind frame 2."],
  ["a duplicate", `${frame(2)}${frame(2)}`, "Frame 2 came behind frame 2."],
  ["what is no JSON", '{"n":2,}\n', "JSON"],
])("a link that hears %s breaks, and the frames before it stand", async (name, says, problem) => {
  const [dir, server] = await impostor(name.replaceAll(" ", "-"), hello("nonce") + frame(1), says);
  try {
    const link = await connectHolder({ dir, epoch: 1, acked: 0, timeoutMs: 5_000 });
    const host = new TestHost();
    host.follow(link, true);
    expect(await host.over()).toMatchObject({ message: expect.stringContaining(problem) });
    expect(host.frames).toEqual([{ n: 1, k: "sent", key: "k1" }]);
  } finally {
    server.close();
  }
});

test("a line cut off by the holder's end is neither a frame nor an error", async () => {
  const [dir, server] = await impostor("cut", hello("nonce") + frame(1), `${frame(2)}{"n":3,"k":`);
  const link = await connectHolder({ dir, epoch: 1, acked: 0, timeoutMs: 5_000 });
  const host = new TestHost();
  host.follow(link, true);
  expect(await host.over()).toBeUndefined();
  expect(host.last).toBe(2);
  server.close();
});

test("a server that answers with another nonce, or not at all, is not a holder", async () => {
  const [dir, server] = await impostor("other-nonce", hello("other"), "");
  await expect(connectHolder({ dir, epoch: 1, acked: 0, timeoutMs: 5_000 })).rejects.toThrow(
    "another",
  );
  server.close();
  const holder = await startHolder();
  process.kill(holder.pid, "SIGSTOP");
  const slow = connectHolder({ dir: holder.dir, epoch: 1, acked: 0, timeoutMs: 100 });
  await expect(slow).rejects.toThrow();
  process.kill(holder.pid, "SIGCONT");
});

function spooledBytes({ dir }: TestHolder): number {
  const spool = join(dir, "spool");
  return readdirSync(spool).reduce((sum, name) => sum + statSync(join(spool, name)).size, 0);
}

test("a link is read only as fast as its frames are consumed", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  host.link.close();
  const link = await connectHolder({
    dir: holder.dir,
    epoch: 2,
    acked: host.last,
    timeoutMs: 5_000,
  });
  link.request("flood", "flood", { lines: 50_000, bytes: 200 });
  const frames = link.frames[Symbol.asyncIterator]();
  let count = 0;
  // The whole flood is spooled without a reader.
  await until("the whole flood", () => spooledBytes(holder) > 50_000 * 200);
  for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
    count += next.value.length;
    expect(next.value.length).toBeLessThan(2_000);
    if (next.value.some(({ k }) => k === "response")) break;
  }
  expect(count).toBe(50_002);
  link.close();
});
