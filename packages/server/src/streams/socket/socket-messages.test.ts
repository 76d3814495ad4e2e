import { type EventBody, HostError } from "@holdfast/protocol";
import { decodeEvents, encodeStamped } from "@holdfast/protocol/schemas";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sessionId } from "../../testing/journal-steps.ts";
import { eventsMessage, parseMessage } from "./socket-messages.ts";

const session = sessionId(1);

test("events go as they are stored: as many out as in, whatever their strings hold", () => {
  const piece = fc.constantFrom(
    "\n",
    "\r",
    "\u2028",
    "\0",
    '"]}',
    '"},{"seq":7,"kind":"run.completed"',
  );
  const hostile = fc
    .array(fc.oneof(piece, fc.string({ unit: "binary" })))
    .map((parts) => parts.join(""));
  const body: fc.Arbitrary<EventBody> = hostile.map((title) => ({
    kind: "session.renamed",
    title,
  }));
  fc.assert(
    fc.property(fc.array(body, { minLength: 1, maxLength: 5 }), (bodies) => {
      const lines = bodies.map((said, n) =>
        encodeStamped({ seq: n + 1, ts: "2026-01-01T00:00:00.000Z", ...said }),
      );
      const slice = { firstSeq: 1, count: bodies.length, bytes: Buffer.from(lines.join("")) };
      const events = decodeEvents(slice.bytes);
      const message = eventsMessage(slice, session);
      expect(JSON.parse(Buffer.from(message).toString())).toEqual({
        type: "events",
        session,
        events,
      });
      expect(eventsMessage(slice, session)).toBe(message);
      // The journal's own bytes stay unchanged.
      expect(decodeEvents(slice.bytes)).toEqual(events);
    }),
    { numRuns: 500 },
  );
});

test("any input is parsed to a message or to an error with a text, and pollutes no prototype", () => {
  const value = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constant('{"type":"ping","__proto__":{"x":1}}'),
  );
  fc.assert(
    fc.property(value, (text) => {
      const parsed = parseMessage(text);
      if (parsed instanceof HostError) expect(parsed.code).toBe("bad_input");
      else expect(parsed.type).toBeTypeOf("string");
      expect(({} as { x?: number }).x).toBeUndefined();
    }),
  );
});
