import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical.ts";
import type { Json } from "./events.ts";

/**
 * V8 reads a key of one escaped character as a backslash, once it has read a key that is one
 * (nodejs/node#63785).
 */
const isReadRight = (value: unknown) => !/"\\(?:u....|.)":/.test(JSON.stringify(value));

describe("canonical JSON", () => {
  it("does not depend on the order of keys, at any depth", () => {
    const one = { b: [{ y: 1, x: 2 }], a: null };
    const other = { a: null, b: [{ x: 2, y: 1 }] };
    expect(canonicalJson(one)).toBe(canonicalJson(other));
    expect(canonicalJson(one)).toBe('{"a":null,"b":[{"x":2,"y":1}]}');
  });

  it("differs for different values", () => {
    const different: Json[] = [[], {}, null, "", 0, false, [null], { a: null }, { a: 0 }, "null"];
    expect(new Set(different.map(canonicalJson)).size).toBe(different.length);
    expect(canonicalJson(["a", "b"])).not.toBe(canonicalJson(["b", "a"]));
  });

  it("is JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue().filter(isReadRight), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as Json;
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });
});
