import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runningHost } from "./connect.ts";

const data = mkdtempSync(join(tmpdir(), "holdfast-connect-"));
const server = createServer((_, reply) => {
  reply.setHeader("content-type", "application/json").end(JSON.stringify(health));
});
const health = { ok: true, bootId: "boot_2", pid: process.pid };
afterAll(() => {
  server.close();
  rmSync(data, { recursive: true });
});

const dead = spawnSync(process.execPath, ["-e", ""]).pid;
const killed = { url: "http://127.0.0.1:9", pid: dead, bootId: "boot_1" };

function write(file: object): void {
  writeFileSync(join(data, "next"), JSON.stringify(file));
  renameSync(join(data, "next"), join(data, "host.json"));
}

test("a command waits for a killed host while its supervisor starts it again", async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  write({ ...killed, supervisor: process.pid });
  const found = runningHost(data);
  found.catch(() => undefined);
  const { port } = server.address() as AddressInfo;
  write({ ...health, url: `http://127.0.0.1:${port}` });
  expect(await found).toMatchObject({ bootId: "boot_2" });
});

test("a command waits for no killed host without a living supervisor", async () => {
  for (const supervisor of [undefined, dead]) {
    write({ ...killed, supervisor });
    await expect(runningHost(data)).rejects.toThrow("was killed. Start one with:");
  }
});
