/** Slow clients on a real host, which runs with the limits of `access/limits/limits.ts`. */

import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serverLimits } from "../../packages/server/src/access/limits/limits.ts";
import { Target } from "./target.ts";

const target = new Target();
const sockets: Socket[] = [];

beforeAll(() => target.start());
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await target.end();
});

/**
 * Sends `said`, then `drop` from time to time; resolves with all it received when it is
 * disconnected.
 */
function slow(said: string, drop: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(target.port, "127.0.0.1");
    sockets.push(socket);
    let told = "";
    const timer = setInterval(() => drop !== "" && socket.writable && socket.write(drop), 500);
    socket.on("data", (chunk) => {
      told += String(chunk);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(timer);
      resolve(told);
    });
    socket.write(said);
  });
}

test("[S4] three hundred slow clients do not keep others out, and every one is cut in time", async () => {
  const host = `Host: 127.0.0.1:${target.port}\r\n`;
  const kinds = [
    () => slow("", ""),
    () => slow(`GET /health HTTP/1.1\r\n${host}`, "X-A: b\r\n"),
    () => slow(`POST /api/login HTTP/1.1\r\n${host}Content-Length: 9\r\n`, "X-A: b\r\n"),
  ];
  const from = performance.now();
  const crowd = kinds.flatMap((kind) => Array.from({ length: 100 }, kind));
  let waiting = true;
  const all = Promise.all(crowd).finally(() => {
    waiting = false;
  });
  let slowest = 0;
  while (waiting) {
    const asked = performance.now();
    expect((await target.ask("GET", "/health", { as: null })).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - asked);
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 250))]);
  }
  const told = await all;
  expect(performance.now() - from).toBeLessThan(serverLimits.headers + 5000);
  expect(slowest).toBeLessThan(2000);
  for (const answer of told.slice(100)) expect(answer).toContain("408 Request Timeout");
  expect(target.said).toBe("");
});
