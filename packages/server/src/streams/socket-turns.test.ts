import type { SessionId } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { flood, floodableHost } from "./testing/flood.ts";
import { type TestStreams, testStreams } from "./testing/served.ts";
import { TestSocket } from "./testing/socket.ts";
import { eventually, turns } from "./testing/turns.ts";

let served: TestStreams;
afterEach(() => served.close());

const MB = 1024 * 1024;
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
const rename = (id: SessionId, title: string) =>
  served.host.sessions.execute(id, "rename", { title });

test("a flood in one session delays no other on the same socket", async () => {
  served = await testStreams({ host: await floodableHost() });
  const loud = await served.host.newSession();
  await flood(served.host, loud, 40);
  const quiet = await Promise.all(upTo(20).map(() => served.host.newSession()));
  const socket = await TestSocket.open(served.port, "ann");
  for (const id of quiet) socket.say({ type: "subscribe", session: id });
  await socket.until(() => socket.of("subscribed").length === 20);
  socket.say({ type: "subscribe", session: loud, after: 0 });
  await socket.until(() => socket.seqs(loud).length > 0);
  for (const id of quiet) void rename(id, "now");
  await socket.until(() => quiet.every((id) => socket.seqs(id).length === 1));
  const whole = await served.host.sessions.state(loud);
  const share = socket.seqs(loud).length / whole.seq;
  expect(share, "of the flood came before all of the others").toBeLessThan(0.5);
  await socket.until(() => socket.seqs(loud).length === whole.seq);
  expect(socket.seqs(loud)).toEqual(upTo(whole.seq));
});

test("floods in several sessions take turns", async () => {
  served = await testStreams({ host: await floodableHost() });
  const ids = await Promise.all(upTo(4).map(() => served.host.newSession()));
  for (const id of ids) await flood(served.host, id, 10);
  const socket = await TestSocket.open(served.port, "ann");
  for (const id of ids) socket.say({ type: "subscribe", session: id, after: 0 });
  const { seq } = await served.host.sessions.state(ids[0] as SessionId);
  await socket.until(() => ids.every((id) => socket.seqs(id).length === seq));
  const order = socket.of("events").map(({ session }) => session);
  const last = ids.map((id) => order.lastIndexOf(id));
  // If they were sent one after the other, the first would be complete after a quarter.
  expect(Math.min(...last)).toBeGreaterThan(order.length / 2);
});

test("a socket that does not read holds less than a megabyte, delays no other, and continues later [P27] [F29]", async () => {
  served = await testStreams({ host: await floodableHost() });
  const ids = await Promise.all(upTo(10).map(() => served.host.newSession()));
  for (const id of ids) await flood(served.host, id, 3);
  const stalled = await TestSocket.open(served.port, "ann");
  for (const id of ids) stalled.say({ type: "subscribe", session: id, after: 0 });
  await stalled.until(() => stalled.of("subscribed").length > 0);
  stalled.socket.pause();
  let most = 0;
  const look = () => {
    for (const socket of served.sockets) most = Math.max(most, socket.writableLength);
  };
  for (let n = 0; n < 3; n++) {
    await Promise.all(ids.map((id) => flood(served.host, id)));
    look();
  }
  for (let n = 0; n < 50; n++) {
    await turns(1);
    look();
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(MB);
  const healthy = await TestSocket.open(served.port, "bob");
  healthy.say({ type: "subscribe", session: ids[0] });
  await healthy.next("subscribed");
  await rename(ids[0] as SessionId, "still there");
  await healthy.until(() => healthy.seqs(ids[0] as string).length === 1);
  stalled.socket.resume();
  for (const id of ids) {
    const { seq } = await served.host.sessions.state(id);
    await stalled.until(() => stalled.seqs(id).length === seq);
    expect(stalled.seqs(id)).toEqual(upTo(seq));
  }
});

test("a socket that sends requests without reading the answers is paused, and then closed", async () => {
  served = await testStreams({ limits: { queueBytes: 1000 } });
  const socket = await TestSocket.open(served.port, "ann");
  socket.socket.pause();
  let sent = 0;
  const isFull = () => socket.socket.bufferedAmount > MB;
  while (!isFull() && sent < 500_000) {
    for (let n = 0; n < 1000; n++) socket.say({ type: "ping", n: sent++ });
    await turns(1);
  }
  expect(isFull()).toBe(true);
  for (const end of served.sockets) expect(end.writableLength).toBeLessThan(MB);
  for (let n = 0; n < 4; n++) {
    served.host.clock.advance(20_000);
    await turns(5);
  }
  await eventually(() => served.streams.count === 0);
  socket.socket.terminate();
});
