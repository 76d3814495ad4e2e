import { crc32 } from "node:zlib";
import { encodeStamped } from "@holdfast/protocol/schemas";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Slice } from "../journal/journal.ts";
import { Position } from "./position.ts";

const lines = Array.from({ length: 40 }, (_, n) =>
  encodeStamped({
    seq: n + 1,
    ts: "2026-01-01T00:00:00.000Z",
    kind: "session.renamed",
    title: `→ ${n}`,
  }),
);
const chainAt = (seq: number) => crc32(lines.slice(0, seq).join(""));

function slice(after: number, count: number): Slice {
  const bytes = Buffer.from(lines.slice(after, after + count).join(""));
  return { firstSeq: after + 1, count, bytes };
}

test("the checksum is right whenever it is given, and given at the latest from the initial head on", () => {
  const seqs = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(seqs, seqs, fc.array(fc.integer({ min: 1, max: 9 })), (a, b, steps) => {
      const [after, head] = [Math.min(a, b), Math.max(a, b)];
      const position = new Position(after, { seq: head, chain: chainAt(head) });
      for (const step of steps) {
        const count = Math.min(step, 40 - position.seq);
        if (count > 0) position.pass(slice(position.seq, count));
        const { seq, chain } = position.heartbeat(0);
        if (after === 0 || seq >= head) expect(chain).toBe(chainAt(seq));
        else expect(chain).toBeNull();
      }
    }),
  );
});

test("a base brings its own checksum", () => {
  const position = new Position(3, { seq: 30, chain: chainAt(30) });
  position.jump({ seq: 20, chain: chainAt(20), state: "", transcript: "" });
  position.pass(slice(20, 2));
  expect(position.heartbeat(0)).toMatchObject({ seq: 22, chain: chainAt(22) });
});
