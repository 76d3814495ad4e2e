import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keyFor, known, pair, testCredentials } from "../testing/credentials.ts";
import type { Access } from "./access.ts";

let world: ReturnType<typeof testCredentials>;
let access: Access;

beforeEach(() => {
  world = testCredentials();
  access = world.open();
});

afterEach(() => world.remove());

const MINUTE = 60_000;
const code = (expected: string) => expect.objectContaining({ code: expected });

function thrown(act: () => unknown): HostError {
  try {
    act();
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error("this should have been refused");
}

function reopened(): Access {
  access.close();
  return world.open();
}

describe("the host's own token", () => {
  test("lets its owner do everything, also after a restart", () => {
    expect(known(access, access.hostToken)).toMatchObject({
      id: "host",
      kind: "host",
      tenant: "default",
      scopes: new Set(["read", "write", "admin"]),
    });
    expect(reopened().hostToken).toBe(access.hostToken);
  });

  test.each(["", "hfh_", "x".repeat(43), "hfd_", "hfk_"])("is not %j", (secret) => {
    expect(access.authenticate(secret)).toBeNull();
  });
});

describe("revoking", () => {
  test("ends every credential made by the revoked one, also after a restart, and no other [S2]", () => {
    const stolen = keyFor(access, "default");
    const thief = known(access, stolen.secret);
    const device = pair(access, thief);
    const grandchild = pair(access, known(access, device.token));
    const child = access.createKey(thief, { name: "child", scopes: ["read"], expiresAt: null });
    const open = access.createLink(known(access, device.token), null);
    const own = pair(access);
    access = reopened();
    const told: string[] = [];
    access.onRevoked((id) => told.push(id));
    expect(access.revokeKey(access.owner, stolen.key.id)).toBe(true);
    const gone = [stolen.secret, device.token, grandchild.token, child.secret];
    expect(gone.map((secret) => access.authenticate(secret))).toEqual([null, null, null, null]);
    expect(told).toHaveLength(4);
    expect(thrown(() => access.redeem(open.code, "late"))).toEqual(code("link_invalid"));
    access = reopened();
    expect(gone.map((secret) => access.authenticate(secret))).toEqual([null, null, null, null]);
    expect(known(access, own.token).id).toBe(own.device.id);
  });

  test("another's device needs admin; one's own, and those made by it, do not", () => {
    const writer = known(access, keyFor(access, "default", ["read", "write"]).secret);
    const owners = pair(access);
    const own = pair(access, writer);
    const refused = thrown(() => access.revokeDevice(writer, owners.device.id));
    expect(refused).toEqual(code("forbidden"));
    expect(access.authenticate(owners.token)).not.toBeNull();
    expect(access.revokeDevice(writer, own.device.id)).toBe(true);
    const third = pair(access, writer);
    expect(access.revokeDevice(known(access, third.token), third.device.id)).toBe(true);
  });
});

describe("a link", () => {
  test("makes a device that is named, listed and valid after a restart", () => {
    const { device, token, session } = access.redeem(
      access.createLink(access.owner, "sess_1").code,
      "phone",
    );
    expect(session).toBe("sess_1");
    expect(device).toMatchObject({ name: "phone", tenant: "default", current: true });
    const again = reopened();
    expect(known(again, token)).toMatchObject({ id: device.id, kind: "device", name: "phone" });
    expect(again.listDevices(known(again, token))).toMatchObject([
      { id: device.id, current: true },
    ]);
    expect(again.listDevices(again.owner)).toMatchObject([{ id: device.id, current: false }]);
  });

  test("works after the host was started again", () => {
    const link = access.createLink(access.owner, "sess_1");
    expect(reopened().redeem(link.code, "phone").session).toBe("sess_1");
  });

  test("works exactly once, also after a restart", async () => {
    const link = access.createLink(access.owner, null);
    const tries = await Promise.allSettled(
      Array.from({ length: 100 }, async (_, n) => access.redeem(link.code, `device ${n}`)),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const again = reopened();
    expect(again.listDevices(again.owner)).toHaveLength(1);
    expect(thrown(() => again.redeem(link.code, "late"))).toEqual(code("link_invalid"));
  });

  test("lasts for five minutes by either clock, even when the other is changed", () => {
    const { code: early } = access.createLink(access.owner, null);
    world.clock.advance(5 * MINUTE - 1);
    expect(access.redeem(early, "in time")).toBeDefined();
    const { code: late } = access.createLink(access.owner, null);
    world.clock.step(-60 * MINUTE);
    world.clock.advance(5 * MINUTE);
    expect(thrown(() => access.redeem(late, "too late"))).toEqual(code("link_invalid"));
    const { code: slept } = access.createLink(access.owner, null);
    world.clock.step(5 * MINUTE);
    expect(thrown(() => access.redeem(slept, "too late"))).toEqual(code("link_invalid"));
  });

  test("does not last longer when the clock was set back before a restart", () => {
    const link = access.createLink(access.owner, null);
    world.clock.step(-24 * 60 * MINUTE);
    const again = reopened();
    world.clock.advance(5 * MINUTE);
    expect(thrown(() => again.redeem(link.code, "a day later"))).toEqual(code("link_invalid"));
  });

  test("passes on what its maker may do, and no more", () => {
    const maker = known(access, keyFor(access, "acme", ["read", "write"]).secret);
    const { token } = pair(access, maker);
    expect(known(access, token)).toMatchObject({
      tenant: "acme",
      scopes: new Set(["read", "write"]),
    });
  });

  test("ends with its maker", () => {
    const { key, secret } = keyFor(access, "acme");
    const { code: revoked } = access.createLink(known(access, secret), null);
    access.revokeKey(access.owner, key.id);
    expect(thrown(() => access.redeem(revoked, "phone"))).toEqual(code("link_invalid"));
    const soon = new Date(world.clock.now() + MINUTE).toISOString();
    const brief = known(access, keyFor(access, "acme", ["write"], soon).secret);
    const { code: outlived } = access.createLink(brief, null);
    world.clock.advance(MINUTE);
    expect(thrown(() => access.redeem(outlived, "phone"))).toEqual(code("link_invalid"));
  });

  test("wrong codes are limited, and a right one still works [S14]", () => {
    const link = access.createLink(access.owner, null);
    const codes = Array.from({ length: 30 }, (_, n) =>
      thrown(() => access.redeem(`hfl_${n}`, "guess")),
    );
    expect(codes[0]).toEqual(code("link_invalid"));
    expect(codes.at(-1)).toMatchObject({ code: "rate_limited", status: 429 });
    expect(codes.at(-1)?.details?.retryAfter).toBeGreaterThan(0);
    expect(access.redeem(link.code, "owner").device.name).toBe("owner");
  });
});

describe("a device", () => {
  test("is locked out at once and for good, and listeners are told once", () => {
    const { device, token } = pair(access);
    const other = pair(access);
    const told: string[] = [];
    const stop = access.onRevoked((id) => told.push(id));
    expect(access.revokeDevice(access.owner, device.id)).toBe(true);
    expect(access.revokeDevice(access.owner, device.id)).toBe(false);
    stop();
    expect(access.revokeDevice(access.owner, other.device.id)).toBe(true);
    expect(told).toEqual([device.id]);
    expect(access.authenticate(token)).toBeNull();
    expect(reopened().authenticate(token)).toBeNull();
  });

  test("a listener that throws does not stop the others", () => {
    const { device } = pair(access);
    const told: string[] = [];
    access.onRevoked(() => {
      throw new Error("no");
    });
    access.onRevoked((id) => told.push(id));
    expect(access.revokeDevice(access.owner, device.id)).toBe(true);
    expect(told).toEqual([device.id]);
    expect(world.errors).toHaveLength(1);
  });

  test("was last seen when it last came, written at most once a minute", () => {
    const { token } = pair(access);
    const written = () => JSON.parse(readFileSync(world.file, "utf8").split("\n")[0] ?? "");
    const before = statSync(world.file).ino;
    world.clock.advance(10_000);
    const seen = new Date(world.clock.now()).toISOString();
    for (let n = 0; n < 100; n++) known(access, token);
    expect(access.listDevices(access.owner)[0]?.lastSeenAt).toBe(seen);
    expect(statSync(world.file).ino).toBe(before);
    world.clock.advance(MINUTE);
    expect(written().devices[0].lastSeenAt).toBe(seen);
    const once = statSync(world.file).ino;
    world.clock.advance(10 * MINUTE);
    expect(statSync(world.file).ino).toBe(once);
    known(access, token);
    access.close();
    expect(written().devices[0].lastSeenAt).toBe(new Date(world.clock.now()).toISOString());
  });

  test("a closed host writes no credentials: another process may own the file", () => {
    const { token } = pair(access);
    access.close();
    const next = world.open();
    next.revokeDevice(next.owner, next.listDevices(next.owner)[0]?.id ?? "");
    known(access, token);
    world.clock.advance(10 * MINUTE);
    expect(thrown(() => access.createLink(access.owner, null))).toEqual(code("journal_closed"));
    next.close();
    expect(world.open().authenticate(token)).toBeNull();
  });
});

describe("an API key", () => {
  test("is shown once, works after a restart, and is stored only as a hash [S14]", () => {
    const { key, secret } = keyFor(access, "acme", ["read"]);
    expect(secret).toMatch(/^hfk_[A-Za-z0-9_-]{43}$/);
    const again = reopened();
    expect(known(again, secret)).toMatchObject({ id: key.id, kind: "key", tenant: "acme" });
    const kept = readFileSync(world.file, "utf8") + readFileSync(join(world.dir, "token"), "utf8");
    expect(kept).not.toContain(secret.slice("hfk_".length));
    expect(JSON.stringify(again.listKeys(again.owner))).not.toContain("hash");
  });

  test("expires at its time, and its listeners are told", () => {
    const expiresAt = new Date(world.clock.now() + 50 * 24 * 60 * MINUTE).toISOString();
    const { key, secret } = keyFor(access, "acme", ["read"], expiresAt);
    const told: string[] = [];
    access.onRevoked((id) => told.push(id));
    world.clock.advance(50 * 24 * 60 * MINUTE - 1);
    expect(access.authenticate(secret)).not.toBeNull();
    expect(told).toEqual([]);
    world.clock.advance(1);
    expect(access.authenticate(secret)).toBeNull();
    expect(told).toEqual([key.id]);
    world.clock.advance(24 * 60 * MINUTE);
    expect(told).toEqual([key.id]);
    expect(reopened().authenticate(secret)).toBeNull();
  });

  test.each(["2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z", "yesterday"])(
    "cannot expire at %s, which is not in the future",
    (expiresAt) => {
      expect(thrown(() => keyFor(access, "acme", ["read"], expiresAt))).toEqual(code("bad_input"));
    },
  );

  test("grants no scope its maker lacks, no tenant but its own, and expires no later", () => {
    const soon = new Date(world.clock.now() + MINUTE).toISOString();
    const maker = known(access, keyFor(access, "acme", ["read", "admin"], soon).secret);
    const make = (more: object) =>
      access.createKey(maker, { name: "x", scopes: ["read"], expiresAt: null, ...more });
    expect(thrown(() => make({ scopes: ["read", "write"] }))).toEqual(code("forbidden"));
    expect(thrown(() => make({ tenant: "default" }))).toEqual(code("forbidden"));
    const { key } = make({ tenant: "acme", scopes: ["read", "read"] });
    expect(key).toMatchObject({ tenant: "acme", scopes: ["read"], expiresAt: soon });
  });

  test("a device of the owner may not name another tenant either", () => {
    const device = known(access, pair(access).token);
    const input = { name: "x", tenant: "acme", scopes: ["read"], expiresAt: null } as const;
    expect(thrown(() => access.createKey(device, input))).toEqual(code("forbidden"));
  });
});

describe("a tenant", () => {
  test("sees and changes its own credentials; another tenant's look like missing ones", () => {
    const acme = known(access, keyFor(access, "acme").secret);
    const other = keyFor(access, "other");
    const { device } = pair(access, known(access, other.secret));
    expect(access.listKeys(acme).map(({ id }) => id)).toEqual([acme.id]);
    expect(access.listDevices(acme)).toEqual([]);
    expect(access.revokeKey(acme, other.key.id)).toBe(access.revokeKey(acme, "key_none"));
    expect(access.revokeDevice(acme, device.id)).toBe(access.revokeDevice(acme, "dev_none"));
    expect(access.revokeKey(acme, "host")).toBe(false);
    expect(known(access, other.secret).tenant).toBe("other");
    expect(access.listDevices(known(access, other.secret))).toHaveLength(1);
  });

  test("the host's owner sees and ends every tenant's credentials", () => {
    const { key, secret } = keyFor(access, "acme");
    expect(access.listKeys(access.owner).map(({ id }) => id)).toEqual([key.id]);
    expect(access.revokeKey(access.owner, key.id)).toBe(true);
    expect(access.authenticate(secret)).toBeNull();
  });

  test("that makes too many credentials is refused, and leaves other tenants their share", () => {
    const acme = known(access, keyFor(access, "acme").secret);
    for (let n = 0; n < 50; n++) access.createLink(acme, null);
    expect(thrown(() => access.createLink(acme, null))).toMatchObject({
      code: "limit_reached",
      status: 429,
    });
    expect(access.createLink(access.owner, null)).toBeDefined();
    world.clock.advance(5 * MINUTE);
    expect(access.createLink(acme, null)).toBeDefined();
  });
});

describe("a ticket", () => {
  test("admits its maker once, within thirty seconds, in the same process", () => {
    const caller = known(access, pair(access).token);
    const { ticket, expiresAt } = access.createTicket(caller);
    expect(Date.parse(expiresAt)).toBe(world.clock.now() + 30_000);
    expect(access.authenticate(ticket)).toBeNull();
    world.clock.advance(29_999);
    expect(access.useTicket(ticket)).toEqual(caller);
    expect(access.useTicket(ticket)).toBeNull();
    const late = access.createTicket(caller);
    world.clock.advance(30_000);
    expect(access.useTicket(late.ticket)).toBeNull();
    const lost = access.createTicket(caller);
    expect(reopened().useTicket(lost.ticket)).toBeNull();
  });

  test("ends with the credential it was made by", () => {
    const { device, token } = pair(access);
    const { ticket } = access.createTicket(known(access, token));
    access.revokeDevice(access.owner, device.id);
    expect(access.useTicket(ticket)).toBeNull();
  });

  test("a credential's hundred-and-first replaces only that credential's oldest", () => {
    const mine = access.createTicket(access.owner);
    const other = known(access, pair(access).token);
    const tickets = Array.from({ length: 101 }, () => access.createTicket(other));
    expect(access.useTicket(tickets[0]?.ticket ?? "")).toBeNull();
    expect(access.useTicket(tickets[1]?.ticket ?? "")).toEqual(other);
    expect(access.useTicket(mine.ticket)).not.toBeNull();
  });
});

test("a credential revoked during its request can create no other", () => {
  const { device, token } = pair(access);
  const caller = known(access, token);
  expect(access.stands(caller)).toBe(true);
  access.revokeDevice(access.owner, device.id);
  expect(access.stands(caller)).toBe(false);
  const gone = code("unauthorized");
  expect(thrown(() => access.createLink(caller, null))).toEqual(gone);
  expect(thrown(() => access.createTicket(caller))).toEqual(gone);
  const input = { name: "x", scopes: ["read"], expiresAt: null } as const;
  expect(thrown(() => access.createKey(caller, input))).toEqual(gone);
});
