import { crc32 } from "node:zlib";
import {
  type Event,
  emptyState,
  foldAll,
  foldVersion,
  messageView,
  sessionView,
  transcriptOf,
} from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpus, recorded } from "../../test/corpus.ts";
import { chainAfter } from "./chain.ts";
import { advance, openReplica, prepend, type Replica, viewOf } from "./replica.ts";

const nothing: Replica = {
  state: emptyState,
  chain: 0,
  messages: [],
  earlier: 0,
  receipts: [],
  recent: [],
  leastEpoch: 0,
  damage: null,
};

const epoch = 1;

function opened(events: readonly Event[], tail = events.length + 1) {
  const state = foldAll(events);
  const { messages, receipts } = transcriptOf(events);
  const earlier = Math.max(0, messages.length - tail);
  return {
    seq: state.seq,
    chain: 0,
    foldVersion,
    earlier,
    state: { ...state },
    session: sessionView(state, { epoch }),
    messages: messages.slice(earlier).map(messageView),
    receipts: [...receipts],
  };
}

describe("the checksum", () => {
  test.each(corpus)(
    "over parsed events equals the one over their bytes: $name",
    ({ bytes, events }) => {
      expect(events.reduce(chainAfter, 0)).toBe(crc32(bytes));
    },
  );

  test("detects any changed, lost, repeated or swapped event", () => {
    const { events } = recorded("completed");
    const whole = events.reduce(chainAfter, 0);
    for (const [at, event] of events.entries()) {
      const changed = events.with(at, { ...event, ts: "2000-01-01T00:00:00.000Z" });
      const lost = events.toSpliced(at, 1);
      const repeated = events.toSpliced(at, 0, event);
      for (const wrong of [changed, lost, repeated]) {
        expect(wrong.reduce(chainAfter, 0)).not.toBe(whole);
      }
    }
  });

  test("is the same for any text, even for half of a surrogate pair", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "\u2028", "é"));
    fc.assert(
      fc.property(text, (said) => {
        const event = { seq: 1, ts: "", kind: "agent.exited", reason: said } as unknown as Event;
        const line = `${JSON.stringify(event)}\n`;
        expect(chainAfter(0, JSON.parse(line))).toBe(crc32(line));
      }),
    );
  });
});

describe("a replica", () => {
  test("is the same however its events were split, repeated and overlapped [F28] [F27]", () => {
    const one = fc.record({
      journal: fc.constantFrom(...corpus),
      cuts: fc.array(fc.nat(), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(one, fc.nat(3), ({ journal: { events, bytes }, cuts }, overlap) => {
        let replica = nothing;
        for (const cut of [...cuts.map((n) => n % (events.length + 1)), events.length]) {
          const from = Math.max(0, replica.state.seq - overlap);
          const advanced = advance(replica, events.slice(from, Math.max(from, cut)));
          expect(advanced.isGap).toBe(false);
          replica = advanced.replica;
        }
        expect(replica.state).toEqual(foldAll(events));
        expect(replica.messages).toEqual(transcriptOf(events).messages);
        expect(replica.chain).toBe(crc32(bytes));
      }),
      { numRuns: 300 },
    );
  });

  test.each(corpus)("is the same event by event: $name", ({ events }) => {
    const replica = events.reduce((before, event) => advance(before, [event]).replica, nothing);
    expect(replica.messages).toEqual(transcriptOf(events).messages);
  });

  test("keeps the words of a restarted agent apart from the cut-off answer, event by event", () => {
    const [created, user, started] = recorded("completed").events as [Event, Event, Event];
    const { runId } = started as Event & { runId: string };
    const bodies = [
      { kind: "run.interrupted", runId, reason: "process_exit", bootId: "boot_1" },
      { kind: "agent.ready", agentSessionId: "a", holderId: "h", epoch: 1 },
      { kind: "agent.spoke", text: "hello" },
    ];
    const later = bodies.map((body, n) => ({ seq: 4 + n, ts: started.ts, ...body }) as Event);
    const { messages } = [created, user, started, ...later].reduce(
      (before, event) => advance(before, [event]).replica,
      nothing,
    );
    expect(messages.map(({ contentParts }) => contentParts.length)).toEqual([1, 0, 1]);
  });

  test("stops before a gap and reports it", () => {
    const { events } = recorded("completed");
    const { replica, isGap } = advance(nothing, events.toSpliced(3, 1));
    expect(isGap).toBe(true);
    expect(replica.state.seq).toBe(3);
  });

  test("changes only the parts that an event touches, among ten thousand others", () => {
    const [created, user, started] = recorded("completed").events as [Event, Event, Event];
    const runId = (started as Event & { runId: string }).runId;
    const base = [created, user, started];
    const word = (seq: number, more: object): Event =>
      ({ seq, ts: started.ts, runId, attempt: 1, ...more }) as unknown as Event;
    const tools = Array.from({ length: 10_000 }, (_, n) =>
      word(base.length + n + 1, {
        kind: "tool.started",
        toolCallId: `t${n}`,
        name: "x",
        input: {},
        gated: false,
      }),
    );
    const before = advance(nothing, [...base, ...tools]).replica;
    const said = word(before.state.seq + 1, { kind: "text.appended", text: "more" });
    const after = advance(before, [said]).replica;
    const parts = (replica: Replica) => replica.messages.at(-1)?.contentParts ?? [];
    expect(parts(before)).toHaveLength(10_000);
    expect(parts(after)).toHaveLength(10_001);
    expect(parts(before).every((part, at) => parts(after)[at] === part)).toBe(true);
    expect(after.messages[0]).toBe(before.messages[0]);
  });

  test("knows that a runtime of an earlier boot is gone, although the host sends no epoch", () => {
    const { events } = recorded("completed");
    const state = foldAll(events);
    expect(state.runtime.state).not.toBe("none");
    for (const life of [state.runtime.epoch, state.runtime.epoch + 3]) {
      const session = sessionView(state, { epoch: life });
      expect(viewOf(openReplica({ ...opened(events), session }))).toEqual(session);
    }
  });

  test("adds older messages before its own, each once", () => {
    const { events } = recorded("queue-advanced");
    const replica = openReplica(opened(events, 1));
    expect(replica.messages).toHaveLength(1);
    const more = prepend(replica, opened(events, 3));
    expect(more.messages).toEqual(transcriptOf(events).messages.slice(-3));
    expect(more.messages.at(-1)).toBe(replica.messages[0]);
    expect(more.earlier).toBe(transcriptOf(events).messages.length - 3);
  });

  test("gets the receipts of older messages with them, each once", () => {
    const { events } = recorded("queue-advanced");
    const all = opened(events);
    const at = (seq: number) =>
      ({ seq, receiptId: `rcpt_${seq}` }) as (typeof all.receipts)[number];
    const [old, first, last] = [at(1), at(4), at(events.length)];
    const replica = openReplica({ ...opened(events, 1), receipts: [last] });
    const later = at(events.length + 1);
    const more = prepend(replica, { ...all, receipts: [old, first, last, later] });
    expect(more.receipts).toEqual([old, first, last]);
    const none = openReplica({ ...opened(events, 1), receipts: [] });
    expect(prepend(none, { ...all, receipts: [old, later] }).receipts).toEqual([old]);
  });
});
