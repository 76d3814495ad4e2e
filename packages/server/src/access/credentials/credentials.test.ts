import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keyFor, pair, testCredentials } from "../testing/credentials.ts";

let world: ReturnType<typeof testCredentials>;

beforeEach(() => {
  world = testCredentials();
});

afterEach(() => world.remove());

const damaged = expect.objectContaining({ name: "HostError", code: "data_damaged" });

function opened(): unknown {
  try {
    world.open().close();
    return "opened";
  } catch (error) {
    return error;
  }
}

/** Creates devices, keys and a link; returns the bytes of their file. */
function filled(): Buffer {
  const access = world.open();
  pair(access);
  keyFor(access, "acme");
  access.createLink(access.owner, null);
  access.close();
  return readFileSync(world.file);
}

test("group and others cannot read the credentials, whatever mode the file had", () => {
  filled();
  const modes = () => readdirSync(world.dir).map((name) => statSync(join(world.dir, name)).mode);
  expect(modes().map((mode) => mode & 0o077)).toEqual([0, 0]);
  chmodSync(world.file, 0o644);
  chmodSync(join(world.dir, "token"), 0o666);
  expect(opened()).toBe("opened");
  expect(modes().map((mode) => mode & 0o077)).toEqual([0, 0]);
});

test("a file cut anywhere is refused, and the error says what to do", () => {
  const whole = filled();
  for (let size = 0; size < whole.length - 1; size += 7) {
    writeFileSync(world.file, whole.subarray(0, size));
    expect(opened()).toEqual(damaged);
  }
  expect(opened()).toMatchObject({
    message: expect.stringMatching(/Restore it from a backup, or delete it/),
  });
  rmSync(world.file);
  expect(opened()).toBe("opened");
});

test("a file with any bit flipped is refused, and never read as fewer credentials", () => {
  const whole = filled();
  for (let at = 0; at < whole.length - 1; at += 3) {
    const flipped = Buffer.from(whole);
    flipped[at] = (whole[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(world.file, flipped);
    expect(opened()).toEqual(damaged);
  }
  writeFileSync(world.file, whole);
  expect(opened()).toBe("opened");
});

test("a file of a newer version is left alone", async () => {
  const { createHash } = await import("node:crypto");
  const line = JSON.stringify({ version: 2, people: [] });
  writeFileSync(world.file, `${line}\n${createHash("sha256").update(line).digest("hex")}\n`);
  expect(opened()).toMatchObject({ code: "data_too_new" });
  expect(readFileSync(world.file, "utf8")).toContain(line);
});

test("a half-written file of a dying host is ignored and replaced", () => {
  const whole = filled();
  writeFileSync(`${world.file}.new`, whole.subarray(0, 10));
  const access = world.open();
  expect(access.listKeys(access.owner)).toHaveLength(1);
  keyFor(access, "acme");
  expect(access.listKeys(access.owner)).toHaveLength(2);
  expect(existsSync(`${world.file}.new`)).toBe(false);
});

test("a change that could not be written does not take effect", () => {
  const access = world.open();
  const { device, token } = pair(access);
  const { code } = access.createLink(access.owner, null);
  // A directory in the file's place makes every write fail.
  rmSync(world.file);
  mkdirSync(world.file);
  const unusable = expect.objectContaining({ code: "data_unusable" });
  expect(() => keyFor(access, "acme")).toThrow(unusable);
  expect(() => access.redeem(code, "tablet")).toThrow(unusable);
  expect(() => access.revokeDevice(access.owner, device.id)).toThrow(unusable);
  expect(access.listKeys(access.owner)).toEqual([]);
  expect(access.authenticate(token)).not.toBeNull();
  rmSync(world.file, { recursive: true });
  expect(access.redeem(code, "tablet").device.name).toBe("tablet");
  access.close();
  const next = world.open();
  expect(next.listDevices(next.owner).map(({ name }) => name)).toEqual(["phone", "tablet"]);
});

test.each(["", "\n", "hfh_short\n", "x".repeat(100)])(
  "a token file that holds %j is refused: an empty one would be a credential",
  (text) => {
    writeFileSync(join(world.dir, "token"), text);
    expect(opened()).toEqual(damaged);
    rmSync(join(world.dir, "token"));
    expect(opened()).toBe("opened");
  },
);

test("a token of the first version, without a prefix, still works", () => {
  const old = Buffer.alloc(32, 7).toString("base64url");
  writeFileSync(join(world.dir, "token"), `${old}\n`);
  const access = world.open();
  expect(access.hostToken).toBe(old);
  expect(access.authenticate(old)).toMatchObject({ kind: "host" });
});
