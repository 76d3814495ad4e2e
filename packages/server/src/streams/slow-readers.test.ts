import type { SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { flood, floodableHost } from "./testing/flood.ts";
import { Reader } from "./testing/reader.ts";
import { type TestStreams, testStreams } from "./testing/served.ts";
import { eventually, turns } from "./testing/turns.ts";

let served: TestStreams;
afterEach(() => served.close());

const MB = 1024 * 1024;
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

const mostWaiting = () => Math.max(...[...served.sockets].map((socket) => socket.writableLength));
const progress = () => [...served.sockets].map((socket) => socket.bytesWritten).join();

/** Writes until the kernel's buffers of all sockets are full. */
async function fill(id: SessionId, each: () => void = () => undefined): Promise<void> {
  for (;;) {
    await flood(served.host, id);
    each();
    const before = progress();
    await turns(20);
    const isWaiting = [...served.sockets].every((socket) => socket.writableLength > 0);
    if (isWaiting && progress() === before) return;
  }
}

async function stalledReaders(id: SessionId, count: number): Promise<Reader[]> {
  return Promise.all(
    upTo(count).map(async () => {
      const reader = await Reader.open(served.sse(id));
      reader.pause();
      return reader;
    }),
  );
}

describe("readers that do not read", () => {
  test("50 of them hold no more than a megabyte each, delay no other reader, and continue from the store [P27] [F29]", async () => {
    served = await testStreams({ host: await floodableHost() });
    const id = await served.host.newSession();
    const stalled = await stalledReaders(id, 50);
    let most = 0;
    const look = () => {
      most = Math.max(most, mostWaiting());
    };
    await fill(id, look);
    const healthy = await Reader.open(served.sse(id));
    for (let n = 0; n < 3; n++) {
      await flood(served.host, id);
      look();
    }
    const { seq: head } = await served.host.sessions.state(id);
    await healthy.until((reader) => reader.seqs.at(-1) === head);
    expect([...served.sockets].filter((socket) => socket.writableLength > 0)).toHaveLength(50);
    expect(most).toBeLessThanOrEqual(MB);
    for (const reader of stalled.slice(0, 5)) {
      reader.resume();
      await reader.until(({ seqs }) => seqs.at(-1) === head);
      expect(reader.seqs).toEqual(upTo(head));
      reader.leave();
    }
  });

  test("are disconnected after a minute without reading [P30]", async () => {
    served = await testStreams({ host: await floodableHost() });
    const id = await served.host.newSession();
    await stalledReaders(id, 3);
    await fill(id);
    served.host.clock.advance(59_000);
    expect(served.streams.count).toBe(3);
    served.host.clock.advance(2_000);
    await eventually(() => served.sockets.size === 0);
    expect(served.streams.count).toBe(0);
    expect(served.host.sessions.followers(id)).toBe(0);
  });

  test("stay connected as long as they read a little now and then", async () => {
    served = await testStreams({ host: await floodableHost() });
    const id = await served.host.newSession();
    const [reader] = await stalledReaders(id, 1);
    for (let n = 0; n < 5; n++) {
      await fill(id);
      served.host.clock.advance(50_000);
      const before = progress();
      reader?.resume();
      await eventually(() => progress() !== before);
      reader?.pause();
    }
    expect(served.streams.count).toBe(1);
  });

  test("are cut at once when their credential is revoked, even within a slice", async () => {
    served = await testStreams({ host: await floodableHost() });
    const id = await served.host.newSession();
    const [reader] = await stalledReaders(id, 1);
    await fill(id);
    served.streams.revoke("ann");
    await eventually(() => served.sockets.size === 0);
    reader?.resume();
    await reader?.ended();
    expect(reader?.named("end")).toEqual([]);
  });

  test("do not delay the shutdown of a host", async () => {
    served = await testStreams({ host: await floodableHost() });
    const id = await served.host.newSession();
    await stalledReaders(id, 3);
    await fill(id);
    const closed = served.streams.close();
    await turns(5);
    expect(served.streams.count).toBe(3);
    served.host.clock.advance(2_000);
    await closed;
    await eventually(() => served.streams.count === 0);
  });
});

test("200 readers of one session get every event, and the journal is read once for all of them [P28]", async () => {
  served = await testStreams({ host: await floodableHost() });
  const id = await served.host.newSession();
  const readers = await Promise.all(upTo(200).map(() => Reader.open(served.sse(id))));
  for (const reader of readers) await reader.until(({ seqs }) => seqs.length === 1);
  const read = served.host.journal.read.bind(served.host.journal);
  let reads = 0;
  served.host.journal.read = (...asked) => {
    reads++;
    return read(...asked);
  };
  const { sessions, clock } = served.host;
  for (let n = 0; n < 100; n++) {
    await Promise.all(upTo(5).map((m) => sessions.execute(id, "rename", { title: `${n}.${m}` })));
    clock.advance(5);
  }
  for (const reader of readers) {
    await reader.until(({ seqs }) => seqs.length === 501);
    expect(reader.seqs).toEqual(upTo(501));
  }
  expect(reads).toBeLessThan(5 * 100);
});
