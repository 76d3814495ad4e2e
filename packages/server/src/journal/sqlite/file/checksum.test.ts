import { expect, test } from "vitest";
import { baseCrc, contentCrc, entriesCrc, pageCrc } from "./checksum.ts";

const key = { session: 1, firstSeq: 1, count: 1, chain: 0 };

test.each([null, 7, 7n, undefined, {}])(
  "[P9] %s in place of bytes, as a damaged page may return it, matches no checksum and does not throw",
  (value) => {
    const odd = value as never;
    const base = { seq: 1, chain: 1, state: "{}", transcript: "{}" };
    const crcs = [
      ...[contentCrc(odd), entriesCrc(1, odd), pageCrc(key, odd)],
      ...[baseCrc(1, { ...base, state: odd }), baseCrc(1, { ...base, transcript: odd })],
    ];
    expect(crcs).toEqual(crcs.map(() => Number.NaN));
  },
);
