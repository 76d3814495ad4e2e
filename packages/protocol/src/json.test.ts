import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json, MAX_DEPTH, wellFormed } from "./json.ts";

describe("any JSON", () => {
  it("is taken as it is", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(JSON.stringify(json.parse(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    10n,
    Symbol("x"),
    () => 1,
    new Date(),
    new Map(),
    [undefined],
    { a: undefined },
  ])("is nothing else (%s)", (value) => {
    expect(json.safeParse(value).success).toBe(false);
  });

  it("keeps a key that would poison an object as data", () => {
    const value = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const copied = json.parse(value) as { admin?: boolean };
    expect(copied.admin).toBeUndefined();
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"admin":true},"a":1}');
  });

  it("is nested only so deep", () => {
    const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    expect(json.safeParse(nested(MAX_DEPTH)).success).toBe(true);
    expect(json.safeParse(nested(MAX_DEPTH + 1)).success).toBe(false);
    expect(json.safeParse(nested(100_000)).success).toBe(false);
  });
});

it("half of a surrogate pair is replaced, in keys too", () => {
  expect(json.parse({ "\ud800k": ["\udc00v", "😀"] })).toEqual({ "\ufffdk": ["\ufffdv", "😀"] });
  const event = { title: "\ud800x", input: { "\udfff": [1, null, { a: "😀\ud83d" }] } };
  expect(wellFormed(event)).toEqual({
    title: "\ufffdx",
    input: { "\ufffd": [1, null, { a: "😀\ufffd" }] },
  });
});
