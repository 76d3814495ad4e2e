import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, Socket } from "node:net";
import { createServer as createTlsServer, connect as tlsConnect } from "node:tls";
import { describe, expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { makeCertificate } from "./testing/certificate.ts";
import { allOf, listen, openEgress, received, type TestEgress } from "./testing/network.ts";

const ADDRESS = "93.184.216.34";
const certificate = makeCertificate(["good.example", "bad.example"]);

/** An upstream that tells the raw bytes it received. */
async function rawUpstream() {
  const bytes: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      bytes.push(chunk);
      server.emit("bytes");
    });
  });
  const forwarded = once(server, "bytes").then(() => "bytes went on");
  return { bytes, sockets, forwarded, port: await listen(server) };
}

async function egressBefore(port: number, options: Partial<Parameters<typeof openEgress>[0]> = {}) {
  return openEgress({
    hosts: ["good.example"],
    names: { "good.example": [ADDRESS] },
    routes: { [`${ADDRESS}:443`]: port },
    ...options,
  });
}

async function connectTo({ dial }: TestEgress, authority: string): Promise<Socket> {
  const socket = await dial();
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  await received(socket, "200 Connection established\r\n\r\n");
  return socket;
}

describe("a CONNECT tunnel", () => {
  test("carries TLS to the name of its request, both ways", async () => {
    const server = createTlsServer(certificate, (socket) => {
      socket.on("error", () => undefined);
      socket.pipe(socket);
    });
    const egress = await egressBefore(await listen(server));
    const socket = await connectTo(egress, "good.example:443");
    const tls = tlsConnect({ socket, servername: "good.example", ca: certificate.cert });
    await once(tls, "secureConnect");
    tls.write("hello");
    expect(await received(tls, "hello")).toBe("hello");
    const large = "x".repeat(1024 * 1024);
    tls.end(`${large}!`);
    expect((await received(tls, "!")).length).toBe(large.length + 1);
    expect(egress.refusals).toEqual([]);
  });

  test("to a name that is not allowed is refused in words and not resolved", async () => {
    const { send, refusals, resolved } = await egressBefore(1);
    const answer = await send("CONNECT bad.example:443 HTTP/1.1\r\nHost: bad.example:443\r\n\r\n");
    expect(answer).toContain("HTTP/1.1 403 Refused by Holdfast: not_allowed\r\n");
    expect(answer).toContain("refused the connection to bad.example:443.");
    expect(refusals).toEqual([{ host: "bad.example", port: 443, reason: "not_allowed", times: 1 }]);
    expect(resolved).toEqual([]);
  });

  test("of HTTP/1.0 needs no Host header", async () => {
    const upstream = await rawUpstream();
    const { dial } = await egressBefore(upstream.port);
    const socket = await dial();
    socket.write("CONNECT good.example:443 HTTP/1.0\r\n\r\n");
    await received(socket, "200 Connection established");
  });

  test("to port 22 is refused with the way to an ssh remote", async () => {
    const { send } = await egressBefore(1);
    expect(await send("CONNECT good.example:22 HTTP/1.1\r\nHost: good.example\r\n\r\n")).toContain(
      "A remote over ssh is fetched outside the sandbox",
    );
  });

  test("to a name that resolves to loopback is refused", async () => {
    const { send, connected } = await egressBefore(1, { names: { "good.example": ["127.0.0.1"] } });
    const answer = await send("CONNECT good.example:443 HTTP/1.1\r\nHost: good.example\r\n\r\n");
    expect(answer).toContain("It leads to this machine or a private network.");
    expect(connected).toEqual([]);
  });

  test("with another server name is closed with a TLS alert, and no byte goes on", async () => {
    const upstream = await rawUpstream();
    const egress = await egressBefore(upstream.port);
    const socket = await connectTo(egress, "good.example:443");
    const tls = tlsConnect({ socket, servername: "bad.example", ca: certificate.cert });
    const denied = once(tls, "error").then(([error]) => String(error));
    expect(await Promise.race([denied, upstream.forwarded])).toContain("access denied");
    await once(upstream.sockets[0] as Socket, "close");
    expect(upstream.bytes).toEqual([]);
    expect(egress.refusals).toEqual([
      { host: "good.example", port: 443, reason: "wrong_name", times: 1 },
    ]);
  });

  test("without a server name is refused, and no byte goes on", async () => {
    const upstream = await rawUpstream();
    const egress = await egressBefore(upstream.port);
    const tls = tlsConnect({ socket: await connectTo(egress, "good.example:443"), servername: "" });
    await once(tls, "error");
    expect(upstream.bytes).toEqual([]);
    expect(egress.refusals[0]?.reason).toBe("hidden_name");
  });

  test("with plain text is read as an HTTP request to its own name", async () => {
    const heard: (string | undefined)[] = [];
    const web = createHttpServer(({ url, headers }, reply) => {
      heard.push(url, headers.host);
      reply.end("fine");
    });
    const egress = await egressBefore(await listen(web), { hosts: ["good.example:443"] });
    const inside = async (request: string) => {
      const socket = await connectTo(egress, "good.example:443");
      socket.write(request);
      return allOf(socket);
    };
    const get = (path: string, host: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    expect(await inside(get("/x", "good.example:443"))).toContain("fine");
    expect(heard).toEqual(["/x", "good.example:443"]);
    for (const wrong of [
      get("/x", "bad.example"),
      get("http://bad.example/", "bad.example"),
      get("http://good.example/", "good.example"),
      "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n",
      "SSH-2.0-OpenSSH_9.2\r\n",
    ])
      expect(await inside(wrong)).toContain("HTTP/1.1 400 Bad Request");
    expect(heard).toHaveLength(2);
  });

  test("whose first bytes came with the request is checked like any other", async () => {
    const upstream = await rawUpstream();
    const { send } = await egressBefore(upstream.port);
    const head = "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n";
    const answer = await send(`${head}GET / HTTP/1.1\r\nHost: bad.example\r\n\r\n`);
    expect(answer).toContain("200 Connection established");
    expect(answer).toContain("Host and CONNECT name two hosts.");
    expect(upstream.bytes).toEqual([]);
  });

  test("whose hello has no end is closed at its limit of bytes", async () => {
    const upstream = await rawUpstream();
    const egress = await egressBefore(upstream.port);
    const socket = await connectTo(egress, "good.example:443");
    const record = Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0]), Buffer.alloc(0x4000)]);
    record.set([1, 0xff, 0xff, 0xff], 5);
    socket.write(record);
    await allOf(socket);
    expect(upstream.bytes).toEqual([]);
    expect(egress.refusals[0]?.reason).toBe("bad_tls");
  });

  test("whose hello stops is closed at its limit of time", async () => {
    const upstream = await rawUpstream();
    const clock = manualClock();
    const egress = await egressBefore(upstream.port, { clock });
    const [silent, stopped] = [
      await connectTo(egress, "good.example:443"),
      await connectTo(egress, "good.example:443"),
    ];
    stopped.write(Buffer.from([22, 3, 1]));
    await expect.poll(() => egress.egress.counters().open).toBe(2);
    const ends = [allOf(silent), allOf(stopped)];
    // The egress must have read the three bytes: a later connection's answer comes after them.
    await (await connectTo(egress, "good.example:443")).destroy();
    clock.advance(10_000);
    await Promise.all(ends);
    expect(upstream.bytes).toEqual([]);
    // A silent client tried nothing, so that is no refusal.
    expect(egress.refusals).toHaveLength(1);
  });

  test("to an address that the policy names carries anything", async () => {
    const server = createServer((socket) => socket.end("server speaks first"));
    const port = await listen(server);
    const egress = await openEgress({ hosts: [`127.0.0.1:${port}`] });
    const socket = await egress.dial();
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect(await received(socket, "server speaks first")).toContain("200");
    expect(egress.resolved).toEqual([]);
  });

  test("delivers what a side sent before it closed", async () => {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      socket.on("error", () => undefined);
      socket.end("over");
    });
    const port = await listen(server);
    const out = new Socket({ allowHalfOpen: true });
    const egress = await openEgress({
      hosts: [`127.0.0.1:${port}`],
      connect: () => out.connect(port, "127.0.0.1"),
    });
    const client = connect({ port: egress.port, host: "127.0.0.1", allowHalfOpen: true });
    client.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const [upstream] = (await once(server, "connection")) as [Socket];
    await received(client, "over");
    // Until the last bytes wait in the egress, because the kernel's buffers are full.
    const block = Buffer.alloc(16 * 1024);
    let sent = 0;
    while (out.writableLength === 0) {
      sent += block.length;
      client.write(block);
      while (out.bytesWritten < sent) await new Promise(setImmediate);
    }
    client.end();
    await once(client, "close");
    let length = 0;
    upstream.on("data", (chunk) => {
      length += chunk.length;
    });
    upstream.resume();
    await new Promise((resolve) => upstream.once("close", resolve));
    expect(length).toBe(sent);
  });

  test("ends when a stricter policy refuses it", async () => {
    const upstream = await rawUpstream();
    const egress = await openEgress({ hosts: [`127.0.0.1:${upstream.port}`] });
    const socket = await connectTo(egress, `127.0.0.1:${upstream.port}`);
    egress.egress.setPolicy({ mode: "none", hosts: [], forbidden: [] });
    await Promise.all([once(socket, "close"), once(upstream.sockets[0] as Socket, "close")]);
  });
});
