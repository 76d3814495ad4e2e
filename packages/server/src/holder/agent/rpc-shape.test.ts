import fc from "fast-check";
import { expect, test } from "vitest";
import { maxNesting, type RpcShape, rpcShape } from "./rpc-shape.ts";

function shapeOf(text: string | Uint8Array): RpcShape {
  // The bytes around the line belong to other lines and must be ignored.
  const line = Buffer.from(text as string);
  const around = Buffer.concat([Buffer.from('1"'), line, Buffer.from('3"}]')]);
  return rpcShape(around, 2, 2 + line.length);
}

function idIn(text: string): string | null {
  const shape = rpcShape(Buffer.from(text), 0, Buffer.byteLength(text));
  return "idFrom" in shape ? Buffer.from(text).toString("utf8", shape.idFrom, shape.idTo) : null;
}

/** The expected kind, by a full parse. */
function expectedKind(text: string): RpcShape["kind"] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "noise";
    if (!Object.hasOwn(value, "id")) return "notification";
    return typeof (value as { method?: unknown }).method === "string" ? "request" : "response";
  } catch {
    return "noise";
  }
}

const message = fc.dictionary(
  fc.oneof(fc.constantFrom("id", "method", "params", "result", "__proto__"), fc.string()),
  fc.jsonValue({ maxDepth: 4 }),
);

test("rpcShape accepts exactly the objects that JSON.parse accepts", () => {
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(shapeOf(text).kind).toBe(expectedKind(text));
    }),
    { numRuns: 1000 },
  );
});

test("rpcShape agrees with JSON.parse also on JSON that was cut, flipped or spliced", () => {
  const bytes = fc.tuple(message, fc.nat(), fc.nat(255), fc.constantFrom("cut", "flip", "insert"));
  fc.assert(
    fc.property(bytes, ([value, at, byte, how]) => {
      const line = [...Buffer.from(JSON.stringify(value))];
      const place = at % line.length;
      if (how === "cut") line.length = place;
      else line.splice(place, how === "flip" ? 1 : 0, byte);
      const text = Buffer.from(line).toString();
      expect([text, shapeOf(Buffer.from(line)).kind]).toEqual([text, expectedKind(text)]);
    }),
    { numRuns: 5000 },
  );
});

test("rpcShape agrees with JSON.parse on input that only looks like JSON", () => {
  const texts = [
    ...[
      "",
      " ",
      "{}",
      " {} ",
      "{} x",
      "{}{}",
      "[]",
      "null",
      "1",
      '"x"',
      "{",
      '{"a"',
      '{"a":',
      "{,}",
    ],
    ...[
      '{"a":1,}',
      '{"a":01}',
      '{"a":-}',
      '{"a":1.}',
      '{"a":.5}',
      '{"a":1e}',
      '{"a":1e+}',
      '{"a":-0.0e-9}',
    ],
    ...[
      '{"a":tru}',
      '{"a":truex}',
      '{"a":nullnull}',
      '{"a":[1,]}',
      '{"a":[,]}',
      '{"a":[}',
      '{"a":{]}',
    ],
    ...[
      '{"a":"\\x"}',
      '{"a":"\\u12"}',
      '{"a":"\\ud800"}',
      '{"a":"\t"}',
      '{"a":"\u2028"}',
      "\ufeff{}",
    ],
    ...[
      '{"a":{"b":[{}]},"id":1}',
      '{"a":[[],[[]],{}]}',
      "{'a':1}",
      '{"a" : 1 , "id":null}',
      '{"a":1 2}',
    ],
  ];
  for (const text of texts) expect([text, shapeOf(text).kind]).toEqual([text, expectedKind(text)]);
});

test("rpcShape returns an id as it was written", () => {
  expect(idIn('{"id": 12345678901234567890 ,"method":"x"}')).toBe("12345678901234567890");
  expect(idIn('{"id":"a\\u00e9","method":"x"}')).toBe('"a\\u00e9"');
  expect(idIn('{"params":{"id":1},"method":"x","id":null}')).toBe("null");
  expect(idIn('{"id":1,"id":2,"method":"x"}')).toBe("2");
  expect(idIn('{"\\u0069d":7}')).toBe("7");
  expect(idIn('{"method":"x"}')).toBeNull();
});

test("rpcShape limits the depth of nesting", () => {
  const nested = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect(shapeOf(nested(maxNesting)).kind).toBe("notification");
  expect(shapeOf(nested(maxNesting + 1)).kind).toBe("noise");
  expect(shapeOf(`{"a":${"[".repeat(1_000_000)}`).kind).toBe("noise");
});
