import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Frame, SseParser } from "./sse.ts";

function ours(pieces: readonly string[]): Frame[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

function theirs(pieces: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => frames.push({ id, event, data }),
  });
  for (const piece of pieces) parser.feed(piece);
  return frames;
}

describe("the SSE parser", () => {
  test("reads what the host writes", () => {
    const text = 'retry: 1000\n\nid: 7\ndata: {"seq":7}\n\nevent: heartbeat\ndata: {}\n\n';
    expect(ours([text])).toEqual([
      { id: "7", event: undefined, data: '{"seq":7}' },
      { id: undefined, event: "heartbeat", data: "{}" },
    ]);
  });

  test("says nothing of a block that was not finished", () => {
    expect(ours(["id: 1\ndata: {}\n"])).toEqual([]);
  });

  test("agrees with eventsource-parser on anything, cut anywhere", () => {
    const bit = fc.constantFrom(
      ...["\n", "\r", "\r\n", "\n\n", ":", " ", "data", "data: ", "id: ", "id", "event: ", "event"],
      ...[
        "retry: 3",
        "\0",
        "\uFEFF",
        "é→🙂",
        "\u2028",
        "{}",
        "x: y",
        ": comment",
        "dat",
        "message",
      ],
    );
    const pieces = fc.array(fc.array(bit, { maxLength: 6 }).map((bits) => bits.join("")));
    fc.assert(
      fc.property(pieces, (given) => {
        expect(ours(given)).toEqual(theirs(given));
      }),
      { numRuns: 20_000 },
    );
  });
});
