import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createNetServer } from "node:net";
import { expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { listen, openEgress, received } from "./testing/network.ts";

const get = (port: number) =>
  `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

test("connections above the limit are refused, and room is given again", async () => {
  const { dial, egress, send } = await openEgress({ limits: { connections: 20 } });
  const sockets = await Promise.all(Array.from({ length: 500 }, dial));
  await expect.poll(() => egress.counters().accepted).toBe(500);
  expect(egress.counters()).toMatchObject({ open: 20, overLimit: 480 });
  expect(await send("GET / HTTP/1.1\r\n\r\n")).toContain("More than 20 connections are open.");
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => egress.counters().open).toBe(0);
  expect(await send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")).toContain("HTTP/1.1 404");
});

test("connections that are being opened count towards the limit after their client left", async () => {
  let names = 0;
  let tooMany: (words: string) => void = () => undefined;
  const another = new Promise<string>((resolve) => {
    tooMany = resolve;
  });
  const { dial, send, egress } = await openEgress({
    mode: "open",
    limits: { connections: 3 },
    resolve: () => {
      names += 1;
      if (names > 3) tooMany("a fourth name is being resolved");
      return new Promise(() => undefined);
    },
  });
  const request = "GET http://slow.example/ HTTP/1.1\r\nHost: slow.example\r\n\r\n";
  for (let n = 1; n <= 3; n++) {
    const socket = await dial();
    socket.write(request);
    await expect.poll(() => names).toBe(n);
    socket.destroy();
    await expect.poll(() => egress.counters().open).toBe(0);
  }
  expect(await Promise.race([send(request), another])).toContain("too many connections are open");
});

test("unused connections make room for others", async () => {
  const ports = [
    await listen(createServer((_, reply) => reply.end("one"))),
    await listen(createServer((_, reply) => reply.end("two"))),
  ] as const;
  const { send, egress } = await openEgress({
    hosts: ports.map((port) => `127.0.0.1:${port}`),
    limits: { connections: 1 },
  });
  expect(await send(get(ports[0]))).toContain("one");
  await expect.poll(() => egress.counters().open).toBe(0);
  expect(await send(get(ports[1]))).toContain("two");
});

test("a head that has no end is refused at its limit of bytes", async () => {
  const { send } = await openEgress({});
  const head = `GET / HTTP/1.1\r\nHost: localhost\r\n${"X: yyyyyyyyyyyy\r\n".repeat(4000)}`;
  expect(await send(head)).toContain("HTTP/1.1 431");
});

test("a head that never comes is closed at its limit of time", async () => {
  const clock = manualClock();
  const { dial, egress } = await openEgress({ clock });
  const [silent, slow] = [await dial(), await dial()];
  slow.write("GET / HTTP/1.1\r\nHost: ");
  await expect.poll(() => egress.counters().open).toBe(2);
  const answers = [received(silent, "408"), received(slow, "408")];
  clock.advance(10_000);
  await Promise.all(answers);
  await expect.poll(() => egress.counters().open).toBe(0);
});

test("a name that does not resolve in time is unreachable, and is not connected to later", async () => {
  const clock = manualClock();
  let answer: (addresses: string[]) => void = () => undefined;
  const { dial, connected } = await openEgress({
    clock,
    mode: "open",
    resolve: () =>
      new Promise((resolve) => {
        answer = resolve;
        asked();
      }),
  });
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const socket = await dial();
  socket.write("GET http://slow.example/ HTTP/1.1\r\nHost: slow.example\r\n\r\n");
  await isAsked;
  const told = received(socket, "it took too long");
  clock.advance(20_000);
  expect(await told).toContain("HTTP/1.1 502");
  answer(["93.184.216.34"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(connected).toEqual([]);
});

test("a connection on which no byte moves is closed at its limit of time", async () => {
  const clock = manualClock();
  const server = createServer((_, reply) => reply.write("first"));
  const port = await listen(server);
  const { dial, egress } = await openEgress({ clock, hosts: [`127.0.0.1:${port}`] });
  const socket = await dial();
  socket.write(get(port));
  await received(socket, "first");
  clock.advance(60 * 60 * 1000);
  expect(egress.counters().open).toBe(1);
  clock.advance(60 * 60 * 1000);
  await once(socket, "close");
});

test("a reader that stops holds the upstream back, and others go on", async () => {
  let sent = 0;
  const flooder = createNetServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const block = Buffer.alloc(64 * 1024);
    const more = () => {
      while (socket.writable && socket.write(block)) sent += block.length;
      sent += block.length;
    };
    socket.on("drain", more);
    more();
  });
  const port = await listen(flooder);
  const other = await listen(createServer((_, reply) => reply.end("fine")));
  const { dial, send } = await openEgress({
    hosts: [`127.0.0.1:${port}`, `127.0.0.1:${other}`],
  });
  const slow = await dial();
  slow.pause();
  slow.write(get(port));
  let before = -1;
  // Until the sockets' own buffers are full: a second answer of another upstream comes and no byte was sent.
  await expect
    .poll(
      async () => {
        const earlier = before;
        before = sent;
        expect(await send(get(other))).toContain("fine");
        return sent === earlier && sent > 0;
      },
      { interval: 50 },
    )
    .toBe(true);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test("closing ends all connections, inside and outside", async () => {
  const server = createServer((_, reply) => reply.write("first"));
  const port = await listen(server);
  const { dial, egress } = await openEgress({ hosts: [`127.0.0.1:${port}`] });
  const socket = await dial();
  socket.write(get(port));
  const [message] = (await once(server, "request")) as [IncomingMessage];
  const ends = [socket, message.socket].map(
    (one) => new Promise((resolve) => one.once("close", resolve)),
  );
  egress.close();
  await Promise.all(ends);
});

test("loading the egress loads neither TLS nor Node's WebSocket client", () => {
  const source = new URL("egress.ts", import.meta.url).href;
  const script = `await import(${JSON.stringify(source)}); console.log(process.moduleLoadList.join("\\n"))`;
  const args = ["--conditions=holdfast-source", "--input-type=module", "--eval", script];
  const loaded = execFileSync(process.execPath, args, { encoding: "utf8" });
  expect(loaded).toContain("NativeModule http\n");
  expect(loaded).not.toContain("NativeModule internal/deps/undici/undici\n");
  expect(loaded).not.toContain("NativeModule tls\n");
});
