import { once } from "node:events";
import { createServer } from "node:net";
import { connect } from "node:tls";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readServerName } from "./client-hello.ts";
import { listen } from "./testing/network.ts";

/** The first flight of Node's own TLS client. */
async function helloFor(servername: string): Promise<Buffer> {
  const server = createServer();
  const port = await listen(server);
  const client = connect({ host: "127.0.0.1", port, servername });
  client.on("error", () => undefined);
  const [socket] = await once(server, "connection");
  const [bytes] = await once(socket, "data");
  client.destroy();
  socket.destroy();
  return bytes;
}

/** Appends an extension to a client hello in one record. */
function withExtension(hello: Buffer, type: number, body: Buffer): Buffer {
  const added = Buffer.alloc(4);
  added.writeUInt16BE(type, 0);
  added.writeUInt16BE(body.length, 2);
  const extension = Buffer.concat([added, body]);
  const grown = Buffer.concat([hello, extension]);
  grown.writeUInt16BE(grown.readUInt16BE(3) + extension.length, 3);
  grown.writeUIntBE(grown.readUIntBE(6, 3) + extension.length, 6, 3);
  let at = 5 + 4 + 34;
  at += 1 + grown.readUInt8(at);
  at += 2 + grown.readUInt16BE(at);
  at += 1 + grown.readUInt8(at);
  grown.writeUInt16BE(grown.readUInt16BE(at) + extension.length, at);
  return grown;
}

function inRecords(hello: Buffer, size: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 5; at < hello.length; at += size) {
    const part = hello.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

test("the server name is read when the hello is complete, however it is cut", async () => {
  const hello = await helloFor("Api.Example");
  for (const bytes of [hello, inRecords(hello, 7), inRecords(hello, 100)]) {
    for (let end = 0; end < bytes.length; end++)
      expect(readServerName(bytes.subarray(0, end))).toBe("more");
    expect(readServerName(bytes)).toEqual({ serverName: "api.example" });
  }
});

test("a hello without a name, or with an encrypted part, hides its name", async () => {
  const hello = await helloFor("api.example");
  expect(readServerName(await helloFor(""))).toBe("hidden_name");
  expect(readServerName(withExtension(hello, 0xfe0d, Buffer.alloc(40)))).toBe("hidden_name");
});

test("a hello with two names is refused", async () => {
  const hello = await helloFor("api.example");
  const name = Buffer.from("\0\x0f\0\0\x0cevil.example", "latin1");
  expect(readServerName(withExtension(hello, 0, name))).toBe("bad_tls");
  const both = Buffer.from("\0\x1e\0\0\x0capi1.example\0\0\x0cevil.example", "latin1");
  const unnamed = await helloFor("");
  expect(readServerName(withExtension(unnamed, 0, name))).toEqual({ serverName: "evil.example" });
  expect(readServerName(withExtension(unnamed, 0, both))).toBe("bad_tls");
});

test.each([
  ["plain HTTP", "GET / HTTP/1.1\r\n", "plain"],
  ["ssh", "SSH-2.0-OpenSSH_9.2\r\n", "plain"],
  ["another record", "\x15\x03\x01\0\x02\x02\x31", "plain"],
  ["SSL 2", "\x80\x2e\x01\x03\x01", "plain"],
  ["another message", "\x16\x03\x01\0\x04\x02\0\0\0", "bad_tls"],
  ["another version", "\x16\x02", "bad_tls"],
  ["an empty record", "\x16\x03\x01\0\0", "bad_tls"],
])("%s is no client hello", (_, text, verdict) => {
  expect(readServerName(Buffer.from(text, "latin1"))).toBe(verdict);
});

test("no bytes make the reader throw", async () => {
  const hello = await helloFor("api.example");
  fc.assert(
    fc.property(fc.nat(hello.length - 1), fc.nat(255), fc.nat(hello.length), (at, byte, end) => {
      const bytes = Buffer.from(hello.subarray(0, end));
      if (at < bytes.length) bytes[at] = byte;
      readServerName(bytes);
    }),
    { numRuns: 2000 },
  );
});
