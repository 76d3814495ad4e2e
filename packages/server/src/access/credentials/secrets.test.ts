import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sha256 } from "../../base/sha256.ts";
import { findBySecret, newCredential, prefixes } from "./secrets.ts";

const random = (bytes: number) => randomBytes(bytes);

test("each kind has its prefix and 256 random bits", () => {
  const asked: number[] = [];
  for (const kind of Object.keys(prefixes) as (keyof typeof prefixes)[]) {
    const { secret, hash } = newCredential(kind, (bytes) => {
      asked.push(bytes);
      return random(bytes);
    });
    expect(secret.startsWith(prefixes[kind])).toBe(true);
    expect(Buffer.from(secret.slice(4), "base64url")).toHaveLength(32);
    expect(hash).toBe(sha256(secret));
  }
  expect(asked).toEqual([32, 32, 32, 32, 32]);
});

test("a record is found by its exact secret only", () => {
  const records = Array.from({ length: 20 }, () => newCredential("key", random));
  for (const record of records) {
    expect(findBySecret(records, record.secret)).toBe(record);
    expect(findBySecret(records, record.secret.slice(0, -1))).toBeNull();
    expect(findBySecret(records, record.hash)).toBeNull();
  }
  expect(findBySecret([], "x")).toBeNull();
});

test("every guess costs the same work: the hashes of all records are compared to their end [S14]", () => {
  const records = Array.from({ length: 5 }, () => newCredential("key", random));
  const { secret = "" } = records[0] ?? {};
  const guesses = [secret, records.at(-1)?.secret ?? "", `${secret.slice(0, -1)}!`, "x"];
  const looked = guesses.map((guess) => {
    let count = 0;
    const watched = records.map(({ hash }) => ({
      get hash() {
        count++;
        return hash;
      },
    }));
    findBySecret(watched, guess);
    return count;
  });
  expect(looked).toEqual([5, 5, 5, 5]);
  const source = readFileSync(new URL("./secrets.ts", import.meta.url), "utf8");
  expect(source).toContain("timingSafeEqual(Buffer.from(record.hash), presented)");
});
