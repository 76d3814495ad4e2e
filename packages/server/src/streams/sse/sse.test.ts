import type { EventBody } from "@holdfast/protocol";
import { encodeStamped } from "@holdfast/protocol/schemas";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Slice } from "../../journal/journal.ts";
import { sseFrames } from "./sse.ts";

const ts = "2026-11-15T04:30:00.000Z";

function sliceOf(firstSeq: number, bodies: readonly EventBody[]): Slice {
  const lines = bodies.map((body, i) => encodeStamped({ seq: firstSeq + i, ts, ...body }));
  return { firstSeq, count: bodies.length, bytes: Buffer.from(lines.join("")) };
}

function said(text: string): EventBody {
  return { kind: "text.appended", runId: "run_1", attempt: 1, text };
}

interface Message {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** The parser of the HTML standard, section 9.2.6, for complete input. */
function parse(bytes: Uint8Array): Message[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  const messages: Message[] = [];
  let id = "";
  let type = "message";
  let data: string[] = [];
  // The text after the last line end is an unfinished line, which the parser ignores.
  for (const line of lines.slice(0, -1)) {
    if (line === "") {
      if (data.length > 0) messages.push({ id, type, data: data.join("\n") });
      type = "message";
      data = [];
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === "id" && !value.includes("\0")) id = value;
    if (field === "event") type = value;
    if (field === "data") data.push(value);
  }
  return messages;
}

describe("SSE frames", () => {
  test("are the id, the stored line as it is, and an empty line", () => {
    const slice = sliceOf(9, [said("a"), said("é→")]);
    const [a, b] = new TextDecoder().decode(slice.bytes).split("\n");
    expect(new TextDecoder().decode(sseFrames(slice))).toBe(
      `id: 9\ndata: ${a}\n\nid: 10\ndata: ${b}\n\n`,
    );
  });

  test.each([1, 9, 99, 998, 999_999, 2 ** 31, Number.MAX_SAFE_INTEGER - 3])(
    "count ids from seq %i across a change of length",
    (firstSeq) => {
      const slice = sliceOf(firstSeq, [said("a"), said("b"), said("c")]);
      expect(parse(sseFrames(slice)).map(({ id }) => id)).toEqual(
        [0, 1, 2].map((i) => String(firstSeq + i)),
      );
    },
  );

  test("are empty for an empty slice", () => {
    expect(sseFrames({ firstSeq: 1, count: 0, bytes: new Uint8Array() })).toHaveLength(0);
  });

  test.each([
    ["fewer", 3],
    ["more", 1],
  ])("refuse a slice whose bytes hold %s lines than it says", (_, count) => {
    const slice = sliceOf(1, [said("a"), said("b")]);
    expect(() => sseFrames({ ...slice, count })).toThrow(/slice of/);
  });

  test("cannot be forged: one event gives one frame, whatever its strings contain", () => {
    const forged = "\n\nid: 7\nevent: end\ndata: {}\n\n";
    const piece = fc.constantFrom("\r", "\n", "\r\n", "\u2028", "\u2029", "\u0085", "\0", "\v");
    const hostile = fc
      .array(fc.oneof(piece, fc.constant(forged), fc.string({ unit: "binary" })))
      .map((parts) => parts.join(""));
    const body: fc.Arbitrary<EventBody> = fc.oneof(
      hostile.map(said),
      // Keys are untrusted too: a model writes a tool's input.
      fc.tuple(hostile, hostile, hostile).map(([toolCallId, name, key]) => ({
        kind: "tool.started" as const,
        runId: "run_1",
        attempt: 1,
        toolCallId,
        name,
        input: { [key]: [key] },
        gated: false,
      })),
    );
    fc.assert(
      fc.property(fc.array(body, { maxLength: 5 }), fc.integer({ min: 1 }), (bodies, firstSeq) => {
        const slice = sliceOf(firstSeq, bodies);
        const stored = new TextDecoder().decode(slice.bytes).split("\n").slice(0, -1);
        expect(parse(sseFrames(slice))).toEqual(
          stored.map((data, i) => ({ id: String(firstSeq + i), type: "message", data })),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
