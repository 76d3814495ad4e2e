import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { addRows, Confirmations, portsOf, readUnconfirmed } from "./unconfirmed.ts";

test("the kernel's table is read by ports; of two connections that share them the livelier counts", () => {
  const bytes = new Map<string, number>();
  const row = (remote: string, sent: string) =>
    `   0: 0100007F:12FC ${remote} 01 ${sent}:00000000 00:00000000 00000000     0        0 1`;
  const table = [
    "  sl  local_address",
    row("0100007F:8001", "0000000A"),
    row("0200007F:8001", "00000002"),
  ];
  addRows(table.join("\n"), bytes);
  expect([...bytes]).toEqual([["4860 32769", 2]]);
});

test("a connection is gone when none of its sent bytes is confirmed within the limit [P30]", () => {
  const watched = new Confirmations(30);
  expect(watched.isGone(0, 0)).toBe(false);
  expect(watched.isGone(100, 10)).toBe(false);
  expect(watched.isGone(200, 39)).toBe(false);
  expect(watched.isGone(200, 40)).toBe(true);
});

test("a connection is alive while it confirms a little, or has no bytes to confirm", () => {
  const watched = new Confirmations(30);
  for (const [bytes, now] of [
    [100, 0],
    [90, 25],
    [95, 50],
    [80, 75],
    [0, 100],
    [50, 110],
  ] as const) {
    expect(watched.isGone(bytes, now)).toBe(false);
  }
});

test.skipIf(process.platform !== "linux")(
  "a reader that stopped reading shows in the table; one that reads does not",
  async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const client = connect(port, "127.0.0.1").pause();
    const [accepted] = (await once(server, "connection")) as [Socket];
    accepted.on("error", () => undefined);
    const sent = () => readUnconfirmed()?.get(portsOf(accepted)) ?? 0;
    expect(sent()).toBe(0);
    accepted.write(Buffer.alloc(16 * 1024 * 1024));
    await expect.poll(sent).toBeGreaterThan(0);
    client.resume();
    await expect.poll(sent).toBe(0);
    client.destroy();
    accepted.destroy();
    server.close();
  },
);
