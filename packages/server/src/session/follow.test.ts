import { HostError, type SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Journal, Slice } from "../journal/journal.ts";
import { batchOf, startSession } from "../testing/journal-steps.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { openMemoryJournal } from "../testing/memory-journal.ts";
import { Followers, type FollowOptions } from "./follow.ts";

interface Store {
  readonly journal: Journal;
  readonly session: SessionId;
  readonly followers: Followers;
  /** Number of journal reads so far. */
  readonly reads: () => number;
}

async function store(events: number, clock: Clock = systemClock()): Promise<Store> {
  const journal = await openMemoryJournal();
  const session = await startSession(journal, events);
  const read = journal.read.bind(journal);
  let reads = 0;
  journal.read = (...asked) => {
    reads++;
    return read(...asked);
  };
  return { journal, session, followers: new Followers(journal, clock), reads: () => reads };
}

async function append({ journal, session }: Store, from: number, to: number): Promise<void> {
  for (let seq = from; seq < to; seq++) await journal.append(batchOf(journal, session, seq, 1));
}

test("followers are counted while they follow, and no longer", async () => {
  const { followers, session } = await store(1);
  expect(followers.count(session)).toBe(0);
  const all = [followers.follow(session, 0), followers.follow(session, 0)];
  for (const one of all) await one.next();
  expect(followers.count(session)).toBe(2);
  await all[0]?.return();
  expect(followers.count(session)).toBe(1);
  followers.close();
});

/** The slices that a follower gets up to `last`; it awaits `pause` after each. */
async function collect(
  { followers, session }: Store,
  last: number,
  options: FollowOptions & { after?: number; pause?: () => Promise<unknown> } = {},
): Promise<Slice[]> {
  const { after = 0, pause, ...rest } = options;
  const slices: Slice[] = [];
  for await (const followed of followers.follow(session, after, rest)) {
    if (followed.type === "reset") throw new Error("a reset where nothing was trimmed");
    slices.push(followed.slice);
    if (followed.slice.firstSeq + followed.slice.count > last) break;
    await pause?.();
  }
  return slices;
}

const seqsOf = (slices: readonly Slice[]) =>
  slices.flatMap(({ firstSeq, count }) => Array.from({ length: count }, (_, n) => firstSeq + n));
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
const turns = (n: number) => async () => {
  for (let i = 0; i < n; i++) await new Promise(setImmediate);
};

describe("followers at the same cursor", () => {
  test("share one read per step, and hold the same slice", async () => {
    const live = await store(1);
    const all = upTo(200).map(() => collect(live, 51, { after: 1 }));
    await turns(500)();
    const before = live.reads();
    await append(live, 1, 51);
    const [first, ...others] = await Promise.all(all);
    expect(seqsOf(first ?? [])).toEqual(upTo(51).slice(1));
    for (const slices of others) {
      expect(slices).toHaveLength(first?.length ?? 0);
      expect(slices.every((slice, n) => slice === first?.[n])).toBe(true);
    }
    // One read finds the event, the next finds the end of the journal.
    expect(live.reads() - before).toBeLessThanOrEqual(2 * 50);
  });

  test("share it while they catch up in turns, too", async () => {
    const long = await store(5000);
    const all = await Promise.all(upTo(50).map(() => collect(long, 5000)));
    for (const slices of all) expect(seqsOf(slices)).toEqual(upTo(5000));
    expect(long.reads()).toBeLessThan(50 * 5);
  });

  test("get every event, each at its own pace, while events flow [RX-5]", async () => {
    const live = await store(1);
    const all = upTo(60).map((n) =>
      collect(live, 400, { limit: (n % 7) + 1, pause: turns(n % 5) }),
    );
    await append(live, 1, 400);
    for (const slices of all) expect(seqsOf(await slices)).toEqual(upTo(400));
  });

  test("fail together when it fails, and a later follower reads again", async () => {
    const broken = await store(3);
    const { read } = broken.journal;
    broken.journal.read = () => Promise.reject(new HostError("session_damaged", "broken"));
    const results = await Promise.allSettled([collect(broken, 3), collect(broken, 3)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    broken.journal.read = read;
    expect(seqsOf(await collect(broken, 3))).toEqual([1, 2, 3]);
  });
});

describe("a crowd", () => {
  test("is notified of the first event at once, and of those that follow closely together", async () => {
    const clock = manualClock();
    const live = await store(1, clock);
    const seen = upTo(200).map(() => [] as Slice[]);
    const stop = new AbortController();
    const { signal } = stop;
    const all = seen.map(async (slices) => {
      for await (const followed of live.followers.follow(live.session, 1, { signal })) {
        if (followed.type === "events") slices.push(followed.slice);
      }
    });
    await turns(500)();
    await append(live, 1, 2);
    await turns(5)();
    for (const slices of seen) expect(seqsOf(slices)).toEqual([2]);
    await append(live, 2, 9);
    await turns(5)();
    for (const slices of seen) expect(seqsOf(slices)).toEqual([2]);
    clock.advance(10);
    await turns(5)();
    for (const slices of seen) {
      expect(seqsOf(slices)).toEqual(upTo(9).slice(1));
      expect(slices).toHaveLength(2);
    }
    await append(live, 9, 10);
    stop.abort();
    await Promise.all(all);
  });

  test("of a few is notified of each event at once", async () => {
    const live = await store(1, manualClock());
    const all = upTo(10).map(() => collect(live, 51, { after: 1 }));
    await turns(50)();
    await append(live, 1, 51);
    for (const slices of all) expect(seqsOf(await slices)).toEqual(upTo(51).slice(1));
  });
});

describe("followers that take turns", () => {
  /** Turns as on a connection: the next follower reads when the one before is done. */
  function mutex() {
    let last: Promise<void> = Promise.resolve();
    const held = { now: 0, most: 0 };
    const turn = async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      held.most = Math.max(held.most, ++held.now);
      let isDone = false;
      return () => {
        if (!isDone) held.now--;
        isDone = true;
        resolve();
      };
    };
    return { turn, held };
  }

  test("read one at a time, and followers at the head do not block the others", async () => {
    const live = await store(1);
    const { turn, held } = mutex();
    const all = upTo(20).map(() => collect(live, 100, { turn, pause: turns(2) }));
    await turns(100)();
    expect(held.now).toBe(0);
    await append(live, 1, 100);
    for (const slices of all) expect(seqsOf(await slices)).toEqual(upTo(100));
    expect(held).toEqual({ now: 0, most: 1 });
  });

  test("pass the turn on when they are stopped while they have it or wait for it", async () => {
    const live = await store(1);
    const { turn, held } = mutex();
    const gate = Promise.withResolvers<void>();
    const stop = new AbortController();
    const having = collect(live, 9, { turn, signal: stop.signal, pause: () => gate.promise });
    const waiting = collect(live, 9, { turn, signal: stop.signal });
    await turns(20)();
    expect(held.now).toBe(1);
    stop.abort();
    gate.resolve();
    await Promise.all([having, waiting]);
    expect(held.now).toBe(0);
    expect(seqsOf(await collect(live, 1, { turn }))).toEqual([1]);
    expect(live.followers.count(live.session)).toBe(0);
  });
});
