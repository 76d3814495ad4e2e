import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteMask, TextMask } from "./mask.ts";

const secret = "sk-live-0123456789";

function masked(secrets: readonly string[], pieces: readonly string[]): string {
  const mask = new TextMask(secrets);
  return pieces.map((piece) => mask.push(piece)).join("") + mask.end();
}

test("a secret value is masked, and the text around it stays", () => {
  expect(masked([secret], [`key=${secret}; ${secret}${secret}.`])).toBe(
    "key=[masked]; [masked][masked].",
  );
});

test("a secret value that is split at any place is masked", () => {
  for (let at = 0; at <= secret.length; at++) {
    const pieces = [`a ${secret.slice(0, at)}`, `${secret.slice(at)} b`];
    expect(masked([secret], pieces)).toBe("a [masked] b");
  }
  expect(masked([secret], [...`a ${secret} b`])).toBe("a [masked] b");
});

test("text that cannot be the start of a value is never held back", () => {
  const mask = new TextMask([secret]);
  expect(mask.push("hello s")).toBe("hello ");
  expect(mask.push("k-liv")).toBe("");
  expect(mask.push("ely")).toBe("sk-lively");
});

test("a value that is the start of another does not leave the rest of it readable", () => {
  const long = `${secret}-and-more`;
  expect(masked([secret, long], [secret, "-and-more"])).toBe("[masked]");
  expect(masked([secret, long], [secret, "-and-less"])).toBe("[masked]-and-less");
});

test("values that overlap are masked as one", () => {
  expect(masked(["abcdefghijkl", "jklmnopqrstu"], ["xabcdefghijkl", "mnopqrstuy"])).toBe(
    "x[masked]y",
  );
});

test("a value is masked as JSON writes it", () => {
  const odd = 'pass"word\\with\nmore';
  expect(masked([odd], [JSON.stringify({ odd })])).toBe('{"odd":"[masked]"}');
});

test("values shorter than 12 characters are left alone", () => {
  expect(masked(["short", "elevenchars"], ["short elevenchars"])).toBe("short elevenchars");
});

test("pieces give the same text as the whole, for any text, values and cuts", () => {
  const letters = fc.constantFrom("a", "b");
  const value = fc.string({ unit: letters, minLength: 12, maxLength: 14 });
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 3 }),
      fc.string({ unit: letters, maxLength: 80 }),
      fc.array(fc.nat(9), { maxLength: 20 }),
      (secrets, noise, cuts) => {
        const text = noise + secrets.join(noise.slice(0, 3)) + noise;
        const pieces: string[] = [];
        let at = 0;
        for (const size of cuts) {
          pieces.push(text.slice(at, at + size));
          at += size;
        }
        pieces.push(text.slice(at));
        const out = masked(secrets, pieces);
        expect(out).toBe(masked(secrets, [text]));
        for (const one of secrets) expect(out).not.toContain(one);
      },
    ),
  );
});

test("a value is masked in bytes that are split within a character", () => {
  const value = "gehëim-wachtwoord";
  const bytes = Buffer.from(`ë${value}ë`);
  const mask = new ByteMask([value]);
  const out = [...bytes].map((byte) => mask.push(Buffer.from([byte])));
  expect(Buffer.concat([...out, mask.end()]).toString()).toBe("ë[masked]ë");
});
