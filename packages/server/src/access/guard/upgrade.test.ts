import { PassThrough } from "node:stream";
import { HostError } from "@holdfast/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Access } from "../credentials/access.ts";
import { Failures } from "../limits/failures.ts";
import { pair, testCredentials } from "../testing/credentials.ts";
import { type Answer, type Listening, listen, raw } from "../testing/raw.ts";
import { tableApp } from "../testing/table-app.ts";
import { admitUpgrade, refuseUpgrade } from "./upgrade.ts";

let world: ReturnType<typeof testCredentials>;
let access: Access;
let listening: Listening;

/** Answers each upgrade with the caller's name, which the real socket protocol does not do. */
beforeEach(async () => {
  world = testCredentials();
  access = world.open();
  const failures = new Failures(world.clock, { burst: 5, perSecond: 1 });
  const guard = { access, port: () => listening.port, failures };
  listening = await listen(tableApp(guard).app);
  listening.server.on("upgrade", (request, socket) => {
    const caller = admitUpgrade(request, guard);
    if (caller instanceof HostError) return refuseUpgrade(socket, caller);
    socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${caller?.id ?? "nobody yet"}`);
  });
});

afterEach(async () => {
  await listening.close();
  world.remove();
});

function upgrade(lines: readonly string[], target = "/api/ws"): Promise<Answer> {
  const ours = lines.some((line) => line.startsWith("Host:"))
    ? []
    : [`Host: 127.0.0.1:${listening.port}`];
  const head = [`GET ${target} HTTP/1.1`, ...ours, ...lines];
  const rest = ["Connection: Upgrade", "Upgrade: websocket", "", ""];
  return raw(listening.port, [...head, ...rest].join("\r\n"));
}

test("an upgrade is admitted with a bearer, or without a credential yet", async () => {
  const { device, token } = pair(access);
  expect(await upgrade([`Authorization: Bearer ${token}`])).toMatchObject({
    status: 101,
    body: device.id,
  });
  expect(await upgrade([])).toMatchObject({ status: 101, body: "nobody yet" });
  const page = await upgrade([`Origin: http://127.0.0.1:${listening.port}`]);
  expect(page.status).toBe(101);
});

test.each([
  ["Origin: http://evil.test"],
  ["Origin: null"],
  ["Origin: http://127.0.0.1:3000"],
  ["Sec-Fetch-Site: cross-site"],
  ["Host: evil.test"],
  ["Host: evil.test:4860", "Origin: http://evil.test:4860"],
])("an upgrade by a page of another origin is refused: %j [P36]", async (...lines) => {
  const refused = await upgrade([...lines, `Authorization: Bearer ${access.hostToken}`]);
  expect(refused.status).toBe(403);
  expect(refused.head).toContain("application/problem+json");
  expect(JSON.parse(refused.body)).toMatchObject({ status: 403 });
});

test("an upgrade is refused for a wrong or revoked credential, and never treated as one without [P35]", async () => {
  const { device, token } = pair(access);
  access.revokeDevice(access.owner, device.id);
  for (const secret of ["Bearer wrong", `Bearer ${token}`, "Basic eDp5", "Bearer "]) {
    expect((await upgrade([`Authorization: ${secret}`])).status).toBe(401);
  }
});

test("wrong credentials count for requests and upgrades together [S14]", async () => {
  const statuses = async (times: number) => {
    const told: number[] = [];
    for (let n = 0; n < times; n++) {
      told.push((await upgrade([`Authorization: Bearer hfk_${n}`])).status);
    }
    return told;
  };
  expect(await statuses(6)).toEqual([401, 401, 401, 401, 401, 429]);
  const asked = `GET /api/agents HTTP/1.1\r\nHost: 127.0.0.1:${listening.port}\r\n`;
  const wrong = `${asked}Authorization: Bearer hfk_x\r\nConnection: close\r\n\r\n`;
  expect((await raw(listening.port, wrong)).status).toBe(429);
  expect((await upgrade([`Authorization: Bearer ${access.hostToken}`])).status).toBe(101);
  world.clock.advance(1000);
  expect(await statuses(2)).toEqual([401, 429]);
});

test.each(["//evil.test/api/ws", "http://evil.test/api/ws", "http://[", "*"])(
  "a target of %s ends only its own connection",
  async (target) => {
    expect([101, 400, 403]).toContain((await upgrade([], target)).status);
    expect((await upgrade([])).status).toBe(101);
  },
);

test("two Host headers are refused", async () => {
  const ours = `Host: 127.0.0.1:${listening.port}`;
  expect((await upgrade([ours, "Host: evil.test"])).status).toBe(400);
  expect((await upgrade(["Host: evil.test", ours])).status).toBe(400);
});

test("a refusal to a client that is already gone does not throw", async () => {
  const socket = new PassThrough();
  const gone = new Promise((resolve) => socket.once("close", resolve));
  refuseUpgrade(socket, new HostError("bad_origin", "no"));
  socket.destroy(new Error("gone"));
  await gone;
  expect(socket.destroyed).toBe(true);
});
