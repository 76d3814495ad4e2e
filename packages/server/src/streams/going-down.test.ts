import { type Event, HostError, type SessionId } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { type TestHost, testHost } from "../testing/test-host.ts";
import { Reader } from "./testing/reader.ts";
import { testStreams } from "./testing/served.ts";
import { TestSocket } from "./testing/socket.ts";

const LIVES = 50;
const READERS = 5;

/** Writes until the host closes; every acknowledged event must exist after each restart. */
async function load({ sessions }: TestHost, id: SessionId, answered: Event[]): Promise<void> {
  for (let n = 0; ; n++) {
    try {
      const title = `life ${sessions.epoch}, title ${n}, ${answered.length}`;
      answered.push(...(await sessions.execute(id, "rename", { title })).events);
    } catch (error) {
      if (error instanceof HostError && error.code === "journal_closed") return;
      throw error;
    }
  }
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

test("a host that goes down under load, fifty times, ends every stream at a seq where the next boot continues it, and loses no acknowledged event [P31]", async () => {
  let host = await testHost();
  const id = await host.newSession();
  const answered: Event[] = [];
  const seen: number[][] = upTo(READERS).map(() => []);
  const overSocket: number[] = [];
  let slowest = 0;
  for (let life = 0; life < LIVES; life++) {
    const served = await testStreams({ host });
    const readers = await Promise.all(
      seen.map((seqs) => Reader.open(served.sse(id, { after: seqs.at(-1) ?? 0 }))),
    );
    const socket = await TestSocket.open(served.port, "ann");
    socket.say({ type: "subscribe", session: id, after: overSocket.at(-1) ?? 0 });
    const writing = upTo(4).map(() => load(served.host, id, answered));
    await readers[0]?.until(({ seqs }) => seqs.length > 10);
    await socket.until(() => socket.seqs(id).length > 10);

    const start = performance.now();
    served.server.close();
    await served.streams.close();
    await served.host.close();
    slowest = Math.max(slowest, performance.now() - start);

    await Promise.all(writing);
    for (const [n, reader] of readers.entries()) {
      await reader.ended();
      seen[n]?.push(...reader.seqs);
      expect(reader.named("end")).toEqual([{ reason: "restart", seq: seen[n]?.at(-1) ?? 0 }]);
    }
    expect(await socket.closed).toBe(1012);
    overSocket.push(...socket.seqs(id));
    expect(socket.of("end")).toMatchObject([{ reason: "restart", seq: overSocket.at(-1) }]);
    host = await host.crash();
  }
  const events = await host.events(id);
  for (const { seq, ...event } of answered) expect(events[seq - 1]).toMatchObject(event);
  expect(answered.length).toBeGreaterThan(LIVES * 10);
  for (const seqs of [...seen, overSocket]) expect(seqs).toEqual(upTo(seqs.at(-1) ?? 0));
  expect(slowest).toBeLessThan(10_000);
  await host.close();
}, 60_000);
