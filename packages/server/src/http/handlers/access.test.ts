import { routes } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import { testApp } from "../testing/test-app.ts";

describe("a one-time link", () => {
  test("admits one more device, once, and opens its session", async () => {
    const { ask, answer, refused } = await testApp();
    const { session } = await ask("createSession", { body: { agent: "demo" } });
    const { status, reply: link } = await answer("createLink", { body: { session: session.id } });
    expect(status).toBe(201);
    expect(link.url).toContain(link.code);
    const body = { code: link.code, name: "Phone" };
    const login = await ask("login", { as: null, body });
    expect(login).toMatchObject({
      device: { name: "Phone", tenant: "local" },
      session: session.id,
    });
    expect((await ask("listSessions", { as: login.token })).sessions).toHaveLength(1);
    expect(await refused("login", { as: null, body })).toMatchObject({
      status: 410,
      code: "link_invalid",
    });
  });

  test("uses the address its maker came by, and says whether another machine can open it", async () => {
    const { app } = await testApp();
    const made = async (headers: Record<string, string>) => {
      const asked = { method: "POST", headers: { authorization: "Bearer local", ...headers } };
      const reply = await (await app.request("http://127.0.0.1/api/links", asked)).json();
      return routes.createLink.reply.parse(reply);
    };
    const here = await made({ host: "127.0.0.1", origin: "http://127.0.0.1" });
    expect(here).toMatchObject({ reach: "this-machine", otherUrls: [] });
    expect(here.url).toBe(`http://127.0.0.1:80/#link=${here.code}`);
    const there = await made({ host: "box.example", origin: "https://box.example" });
    expect(there).toMatchObject({ reach: "network", otherUrls: [] });
    expect(there.url).toBe(`https://box.example/#link=${there.code}`);
  });

  test("can be created without a body", async () => {
    const { ask } = await testApp();
    const { code } = await ask("createLink");
    expect((await ask("login", { as: null, body: { code } })).session).toBeNull();
  });
});

describe("devices", () => {
  test("a device signs itself out, and only a device does", async () => {
    const { ask, refused } = await testApp();
    const { code } = await ask("createLink");
    const { token, device } = await ask("login", { as: null, body: { code } });
    expect(await ask("logout", { as: token })).toEqual({ success: true });
    const { devices } = await ask("listDevices");
    expect(devices.map(({ id }) => id)).not.toContain(device.id);
    const { secret } = await ask("createKey", { body: { name: "CI" } });
    expect(await refused("logout", { as: secret })).toMatchObject({
      status: 403,
      code: "forbidden",
    });
    expect((await ask("listSessions", { as: secret })).sessions).toEqual([]);
  });

  test("are listed and locked out, each tenant's by itself", async () => {
    const { ask, refused, send } = await testApp();
    const { code } = await ask("createLink");
    const { device, token } = await ask("login", { as: null, body: { code } });
    expect((await ask("listDevices", { as: token })).devices).toMatchObject([
      { id: device.id, current: true },
    ]);
    const params = { deviceId: device.id };
    const key = await ask("createKey", { body: { name: "theirs", tenant: "other" } });
    expect((await ask("listDevices", { as: key.secret })).devices).toEqual([]);
    const foreign = await refused("revokeDevice", { params, as: key.secret });
    const unknown = await refused("revokeDevice", {
      params: { deviceId: "dev_0" },
      as: key.secret,
    });
    expect(foreign).toEqual(unknown);
    expect(foreign).toMatchObject({ status: 404, code: "device_not_found" });
    expect(await ask("revokeDevice", { params, as: token })).toEqual({ success: true });
    expect((await send("revokeDevice", { params })).status).toBe(404);
  });
});

describe("keys", () => {
  test("are shown once, listed without their secret, and revoked", async () => {
    const { ask, answer, refused } = await testApp();
    const { status, reply } = await answer("createKey", { body: { name: "ci" } });
    expect(status).toBe(201);
    expect(reply.key).toMatchObject({ name: "ci", scopes: ["read", "write"], expiresAt: null });
    const listed = await ask("listKeys");
    expect(listed.keys).toEqual([reply.key]);
    expect(JSON.stringify(listed)).not.toContain(reply.secret);
    // The key's scopes do not allow managing keys.
    expect((await refused("listKeys", { as: reply.secret })).code).toBe("forbidden");
    const params = { keyId: reply.key.id };
    expect(await ask("revokeKey", { params })).toEqual({ success: true });
    expect((await refused("revokeKey", { params })).code).toBe("key_not_found");
  });
});

describe("tickets", () => {
  test("are given to every caller that may read, and expire", async () => {
    const { answer, host } = await testApp();
    const { status, reply } = await answer("createTicket", { as: "local:read" });
    expect(status).toBe(201);
    expect(Date.parse(reply.expiresAt) - host.clock.now()).toBe(30_000);
  });
});
