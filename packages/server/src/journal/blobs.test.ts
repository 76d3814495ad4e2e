import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeId, type SessionId } from "@holdfast/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileBlobs } from "./blobs.ts";

const sessionOf = (n: number) => makeId("session", 1, new Uint8Array(10).fill(n)) as SessionId;
const [ours, other] = [sessionOf(1), sessionOf(2)];

let root: string;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "holdfast-blobs-")), "blobs");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const bytesOf = (text: string) => Buffer.from(text);
const files = (session: SessionId) => readdirSync(join(root, session)).sort();

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

describe("[P34] the room of a session", () => {
  test("takes blobs up to its limit; one byte more is named but not kept, and the session remembers it", async () => {
    const blobs = fileBlobs(root, 10);
    const first = await blobs.put(ours, bytesOf("12345"));
    const second = await blobs.put(ours, bytesOf("abcde"));
    expect(blobs.hasLeftOut(ours)).toBe(false);
    for (const more of ["x", "y".repeat(1000)]) {
      const left = await blobs.put(ours, bytesOf(more));
      expect(left.bytes).toBe(more.length);
      expect(await blobs.read(ours, left.hash)).toBeNull();
    }
    expect(blobs.hasLeftOut(ours)).toBe(true);
    expect(files(ours)).toEqual([first.hash, second.hash, "left-out"].sort());
    expect(await blobs.put(other, bytesOf("12345"))).toEqual(first);
    expect([blobs.hasLeftOut(other), files(other)]).toEqual([false, [first.hash]]);
  });

  test("is the same size after a restart", async () => {
    await fileBlobs(root, 10).put(ours, bytesOf("1234567"));
    const next = fileBlobs(root, 10);
    await next.put(ours, bytesOf("890"));
    expect(next.hasLeftOut(ours)).toBe(false);
    await next.put(ours, bytesOf("!"));
    expect(fileBlobs(root, 10).hasLeftOut(ours)).toBe(true);
  });

  test("is taken once by the same bytes, however often and however many at once", async () => {
    const blobs = fileBlobs(root, 10);
    const same = Array.from({ length: 50 }, () => blobs.put(ours, bytesOf("12345")));
    expect(new Set((await Promise.all(same)).map(({ hash }) => hash)).size).toBe(1);
    await blobs.put(ours, bytesOf("abcde"));
    await blobs.put(ours, bytesOf("12345"));
    expect(blobs.hasLeftOut(ours)).toBe(false);
  });

  test("holds when many different blobs are written at once", async () => {
    const blobs = fileBlobs(root, 10);
    const all = Array.from({ length: 100 }, (_, n) => blobs.put(ours, bytesOf(`blob ${n + 100}`)));
    await Promise.all(all);
    expect(files(ours)).toHaveLength(1 + 1);
  });

  test("is given back by a write that failed, and by a session that is deleted", async () => {
    const blobs = fileBlobs(root, 10);
    await blobs.put(ours, bytesOf("12"));
    const dir = join(root, ours);
    renameSync(dir, `${dir}.aside`);
    // A file stands where the session's directory should be, so the write fails.
    writeFileSync(dir, "");
    await expect(blobs.put(ours, bytesOf("34567890"))).rejects.toThrow();
    rmSync(dir);
    renameSync(`${dir}.aside`, dir);
    await blobs.put(ours, bytesOf("34567890"));
    expect(blobs.hasLeftOut(ours)).toBe(false);
    await blobs.put(ours, bytesOf("x"));
    await blobs.remove(ours);
    expect([existsSync(join(root, ours)), blobs.hasLeftOut(ours)]).toEqual([false, false]);
    await blobs.put(ours, bytesOf("1234567890"));
    expect(blobs.hasLeftOut(ours)).toBe(false);
  });

  test("refuses a person's text that cannot be kept whole", async () => {
    const blobs = fileBlobs(root, 10);
    const kept = await blobs.keep(ours, bytesOf("1234567890"));
    for (const more of ["x", "y".repeat(1000)]) {
      await expect(blobs.keep(ours, bytesOf(more))).rejects.toMatchObject({
        code: "limit_reached",
        message: expect.stringContaining("new session"),
      });
    }
    expect(blobs.hasLeftOut(ours)).toBe(false);
    expect(await blobs.keep(ours, bytesOf("1234567890"))).toEqual(kept);
  });
});

describe("reading a blob in pieces", () => {
  test("gives all of it, each time from the beginning", async () => {
    const blobs = fileBlobs(root);
    const long = "piece by piece ".repeat(50_000);
    const { hash, bytes } = await blobs.put(ours, bytesOf(long));
    const found = await blobs.read(ours, hash);
    expect(found?.bytes).toBe(bytes);
    for (let n = 0; n < 2; n++) expect(await textOf(found?.stream() as never)).toBe(long);
  });

  test("finds no blob under another session, or by a name that is not a hash", async () => {
    const blobs = fileBlobs(root);
    const { hash } = await blobs.put(ours, bytesOf("mine"));
    writeFileSync(join(root, "secret"), "secret");
    expect(await blobs.read(other, hash)).toBeNull();
    const names = [hash.toUpperCase(), hash.slice(1), `${hash}0`, "../secret", "left-out", "", "."];
    for (const name of [...names, `${hash}\n`, `./${hash}`, "\0"]) {
      expect([name, await blobs.read(ours, name)]).toEqual([name, null]);
    }
  });

  test("refuses a damaged blob before its first byte", async () => {
    const blobs = fileBlobs(root);
    const { hash } = await blobs.put(ours, bytesOf("sound"));
    writeFileSync(join(root, ours, hash), "soumd");
    await expect(blobs.read(ours, hash)).rejects.toMatchObject({ code: "session_damaged" });
  });
});
