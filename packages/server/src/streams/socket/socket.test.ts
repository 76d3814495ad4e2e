import { crc32 } from "node:zlib";
import { foldVersion, type SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { foldDetail } from "../../session/bases.ts";
import { type TestStreams, type TestStreamsOptions, testStreams } from "../testing/served.ts";
import { TestSocket } from "../testing/socket.ts";
import { eventually, turns } from "../testing/turns.ts";

let served: TestStreams;
afterEach(() => served.close());

const start = async (options: TestStreamsOptions = {}) => {
  served = await testStreams(options);
};
const open = (secret: string | null = "ann") => TestSocket.open(served.port, secret);
let titles = 0;
const rename = async (id: SessionId, times: number) => {
  for (let n = 0; n < times; n++) {
    await served.host.sessions.execute(id, "rename", { title: `Titel ${titles++} → é` });
  }
};
const session = async (renames = 0, tenant = "local") => {
  const id = await served.host.newSession({ tenant });
  await rename(id, renames);
  return id;
};
const upTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** The HTTP status with which an upgrade was refused. */
function refused(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${served.port}${path}`, { headers });
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on("open", () => reject(new Error("it was let in")));
    socket.on("error", () => undefined);
  });
}

describe("an upgrade", () => {
  test("is refused for a wrong origin, a wrong credential and any other path", async () => {
    await start();
    expect(await refused("/api/ws", { origin: "http://evil.test" })).toBe(403);
    expect(await refused("/api/ws", { authorization: "Bearer wrong" })).toBe(401);
    expect(await refused("/elsewhere", { authorization: "Bearer ann" })).toBe(404);
  });

  test("is accepted with a credential in the first message", async () => {
    await start();
    const id = await session(2);
    const socket = await open(null);
    socket.say({ type: "auth", token: "ann" });
    socket.say({ type: "subscribe", session: id, after: 0 });
    await socket.until(() => socket.seqs(id).length === 3);
    expect(socket.told[0]).toEqual({ type: "subscribed", session: id, after: 0, seq: 3 });
  });

  test.each([
    ["a wrong credential", { type: "auth", token: "wrong" }],
    ["anything else first", { type: "ping" }],
    ["nonsense", { type: "auth" }],
  ])("closes on %s, without a word", async (_, first) => {
    await start();
    const socket = await open(null);
    socket.say(first);
    expect(await socket.closed).toBe(4401);
    expect(socket.told).toEqual([]);
  });

  test("without a credential is closed silently after five seconds; authenticated sockets stay", async () => {
    await start();
    const id = await session();
    const silent = await open(null);
    const known = await open(null);
    known.say({ type: "auth", token: "ann" });
    known.say({ type: "subscribe", session: id });
    await known.next("subscribed");
    served.host.clock.advance(5000);
    expect(await silent.closed).toBe(4401);
    expect(silent.told).toEqual([]);
    known.say({ type: "ping" });
    await known.next("pong");
  });

  test("is limited per credential, and the oldest unauthenticated socket is closed for a new one", async () => {
    await start({ limits: { socketsPerCredential: 2, strangers: 2 } });
    const first = await open();
    await open();
    expect(await (await open()).closed).toBe(4429);
    await open("bob");
    first.socket.close();
    await first.closed;
    await turns(5);
    const again = await open();
    again.say({ type: "ping" });
    await again.next("pong");
    const oldest = await open(null);
    await open(null);
    // A third one is admitted, and the oldest unauthenticated one is closed.
    const third = await open(null);
    await oldest.closed;
    third.say({ type: "auth", token: "bob" });
    third.say({ type: "ping" });
    await third.next("pong");
  });

  test("accepts no message longer than 64 KB", async () => {
    await start();
    const socket = await open();
    socket.say({ type: "ping", padding: "x".repeat(65_000) });
    await socket.next("pong");
    socket.say({ type: "ping", padding: "x".repeat(66_000) });
    expect(await socket.closed).toBe(1009);
  });
});

describe("a subscription", () => {
  test("is acknowledged, replays after its seq and continues live, as journalled", async () => {
    await start();
    const [a, b] = [await session(9), await session(3)];
    const socket = await open();
    socket.say({ type: "subscribe", session: a, after: 4 });
    socket.say({ type: "subscribe", session: b });
    await socket.until(() => socket.of("subscribed").length === 2);
    await rename(a, 5);
    await rename(b, 2);
    await socket.until(() => socket.seqs(a).length === 11 && socket.seqs(b).length === 2);
    expect(socket.of("subscribed")).toEqual([
      { type: "subscribed", session: a, after: 4, seq: 10 },
      { type: "subscribed", session: b, after: 4, seq: 4 },
    ]);
    expect(socket.seqs(a)).toEqual(upTo(15, 5));
    expect(socket.seqs(b)).toEqual([5, 6]);
    const came = socket.of("events", a).flatMap(({ events }) => events);
    expect(came).toEqual((await served.host.events(a)).slice(4));
  });

  test("made while events flow has no gap and no duplicate once its reader hydrates after the ack [F27] [RX-5]", async () => {
    await start();
    const id = await session();
    const writing = rename(id, 2000);
    const clients = upTo(20).map(async () => {
      const socket = await open();
      socket.say({ type: "subscribe", session: id });
      await socket.next("subscribed");
      const { state } = await served.host.sessions.open(id);
      await socket.until(() => (socket.seqs(id).at(-1) ?? 0) >= state.seq + 20);
      return { socket, from: state.seq };
    });
    const hydrated = await Promise.all(clients);
    expect((await served.host.sessions.state(id)).seq).toBeLessThan(2001);
    await writing;
    for (const { socket, from } of hydrated) {
      const seqs = socket.seqs(id).filter((seq) => seq > from);
      expect(seqs).toEqual(upTo(from + seqs.length, from + 1));
    }
  });

  test("can be moved and cancelled; no event from before arrives after the answer", async () => {
    await start();
    const id = await session(5);
    const socket = await open();
    socket.say({ type: "subscribe", session: id, after: 0 });
    await socket.until(() => socket.seqs(id).length === 6);
    socket.say({ type: "subscribe", session: id, after: 3 });
    await socket.until(() => socket.seqs(id).length === 9);
    expect(socket.seqs(id)).toEqual([1, 2, 3, 4, 5, 6, 4, 5, 6]);
    expect(served.host.sessions.followers(id)).toBe(1);
    socket.say({ type: "unsubscribe", session: id });
    await socket.next("unsubscribed");
    await rename(id, 3);
    socket.say({ type: "ping" });
    await socket.next("pong");
    expect(socket.seqs(id)).toHaveLength(9);
    expect(served.host.sessions.followers(id)).toBe(0);
  });

  test("of another tenant's session is refused like an unknown one, and the socket stays open", async () => {
    await start({ limits: { subscriptions: 2 } });
    const [mine, other] = [await session(1), await session(1, "other")];
    const unknown = served.host.sessions.newId("session");
    const socket = await open();
    const answers: unknown[] = [];
    for (const id of [other, unknown]) {
      socket.say({ type: "subscribe", session: id, after: 0 });
      const { session: named, ...answer } = await socket.next("error");
      expect(named).toBe(id);
      answers.push(answer);
    }
    expect(answers[0]).toEqual(answers[1]);
    for (const [message, code] of [
      [{ type: "subscribe", session: mine, after: 3 }, "cursor_ahead"],
      [{ type: "subscribe", session: mine, after: -1 }, "bad_input"],
      [{ type: "subscribe", session: "../etc" }, "bad_input"],
      [{ type: "auth", token: "bob" }, "bad_input"],
      [{ type: "dance" }, "bad_input"],
    ] as const) {
      socket.say(message);
      expect((await socket.next("error")).code).toBe(code);
    }
    socket.socket.send("{");
    expect((await socket.next("error")).code).toBe("bad_input");
    for (const id of [mine, await session()]) {
      socket.say({ type: "subscribe", session: id });
      await socket.next("subscribed");
    }
    socket.say({ type: "subscribe", session: await session() });
    expect((await socket.next("error")).code).toBe("limit_reached");
  });

  test("below retention starts over from the base [F29]", async () => {
    await start();
    const id = await session(20);
    await foldDetail(served.host, id);
    const socket = await open();
    socket.say({ type: "subscribe", session: id, after: 5 });
    await socket.until(() => socket.seqs(id).length === 1);
    expect(socket.of("reset")).toMatchObject([
      { session: id, seq: 21, state: { seq: 21, id }, messages: [] },
    ]);
    expect(socket.seqs(id)).toEqual([22]);
  });

  test("ends when its session is deleted, and the others continue", async () => {
    await start();
    const [gone, kept] = [await session(1), await session(1)];
    const socket = await open();
    for (const id of [gone, kept]) socket.say({ type: "subscribe", session: id, after: 0 });
    await served.host.sessions.execute(gone, "end", { reason: "explicit" });
    await socket.until(() => socket.seqs(gone).length === 3);
    await served.host.sessions.remove(gone);
    expect(await socket.next("end")).toEqual({
      type: "end",
      session: gone,
      reason: "gone",
      seq: 3,
    });
    await rename(kept, 1);
    await socket.until(() => socket.seqs(kept).length === 3);
  });

  test("has its own heartbeat at once and every 15 seconds, with the checksum up to its seq [U9]", async () => {
    await start();
    const ids = [await session(3), await session(7)];
    const socket = await open();
    for (const id of ids) socket.say({ type: "subscribe", session: id, after: 1 });
    await socket.until(() => ids.every((id, n) => socket.seqs(id).length === (n === 0 ? 3 : 7)));
    served.host.clock.advance(15_000);
    await socket.until(() => socket.of("heartbeat").length === 4);
    for (const id of ids) {
      const { chain } = await served.host.sessions.open(id);
      expect(socket.of("heartbeat", id)).toEqual([
        expect.objectContaining({ seq: 1, chain: null, now: "2026-01-01T00:00:00.000Z" }),
        {
          type: "heartbeat",
          session: id,
          seq: id === ids[0] ? 4 : 8,
          chain,
          now: "2026-01-01T00:00:15.000Z",
          foldVersion,
        },
      ]);
    }
    const lines = (await served.host.journal.read(ids[0] as SessionId, 0, 10))?.bytes ?? "";
    expect(socket.of("heartbeat", ids[0])[1]?.chain).toBe(crc32(lines));
  });
});

describe("the end of a socket", () => {
  test("a revoked credential's sockets are told and closed within a second, and no others", async () => {
    await start();
    const id = await session();
    const [ann, bob] = [await open("ann"), await open("bob")];
    for (const socket of [ann, bob]) {
      socket.say({ type: "subscribe", session: id });
      await socket.next("subscribed");
    }
    served.streams.revoke("ann");
    expect(await ann.closed).toBe(4401);
    expect(ann.told.at(-1)).toMatchObject({ type: "error", code: "unauthorized" });
    await rename(id, 1);
    await bob.until(() => bob.seqs(id).length === 1);
    expect(ann.seqs(id)).toEqual([]);
    const again = await open("ann");
    expect(await again.closed).toBe(4401);
  });

  test("a host that goes down ends each subscription with the seq to continue from", async () => {
    await start();
    const ids = [await session(1), await session(2)];
    const socket = await open();
    const stranger = await open(null);
    for (const id of ids) socket.say({ type: "subscribe", session: id, after: 0 });
    await socket.until(() => socket.seqs(ids[1] as string).length === 3);
    await served.streams.close();
    expect(await socket.closed).toBe(1012);
    expect(await stranger.closed).toBe(1012);
    expect(socket.of("end")).toEqual([
      { type: "end", session: ids[0], reason: "restart", seq: 2 },
      { type: "end", session: ids[1], reason: "restart", seq: 3 },
    ]);
    expect(served.host.sessions.followers(ids[0] as SessionId)).toBe(0);
    expect(await refused("/api/ws", { authorization: "Bearer ann" })).toBe(503);
  });

  test("a peer that answers no ping is disconnected within a minute, one that does is kept [P30]", async () => {
    await start();
    const id = await session();
    const dead = await TestSocket.open(served.port, "ann", { autoPong: false });
    const alive = await open();
    for (const socket of [dead, alive]) {
      socket.say({ type: "subscribe", session: id });
      await socket.next("subscribed");
    }
    const pings = { dead: 0, alive: 0 };
    dead.socket.on("ping", () => pings.dead++);
    alive.socket.on("ping", () => pings.alive++);
    for (let n = 1; n <= 2; n++) {
      served.host.clock.advance(20_000);
      await eventually(() => pings.dead >= n && pings.alive >= n);
      await turns(10);
    }
    expect(served.host.sessions.followers(id)).toBe(2);
    served.host.clock.advance(20_000);
    expect(await dead.closed).toBe(1006);
    for (let n = 4; n < 10; n++) {
      await eventually(() => pings.alive >= n - 1);
      await turns(10);
      served.host.clock.advance(20_000);
    }
    expect(served.host.sessions.followers(id)).toBe(1);
    expect(served.streams.count).toBe(1);
  });
});
