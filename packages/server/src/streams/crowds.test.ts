import type { SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import { Reader } from "./testing/reader.ts";
import { type TestStreams, testStreams } from "./testing/served.ts";
import { TestSocket } from "./testing/socket.ts";
import { eventually } from "./testing/turns.ts";

let served: TestStreams;
afterEach(() => served.close());

const follow = (id: SessionId, as = "ann") => Reader.open(served.sse(id, { as }));
const subscribe = async (id: SessionId, as: string) => {
  const socket = await TestSocket.open(served.port, as);
  socket.say({ type: "subscribe", session: id, after: 0 });
  return socket;
};

describe("[P34] followers", () => {
  test("of one session are limited, over streams and sockets together, for all callers", async () => {
    served = await testStreams({ limits: { readersPerSession: 4 } });
    const [id, other] = [await served.host.newSession(), await served.host.newSession()];
    const readers = [await follow(id), await follow(id, "bob"), await follow(id, "cy")];
    const socket = await subscribe(id, "dan");
    await socket.next("subscribed");
    for (let n = 0; n < 400; n++) expect((await follow(id, `reader-${n}`)).status).toBe(429);
    const refused = await subscribe(id, "eve");
    expect(await refused.next("error")).toMatchObject({ code: "limit_reached", session: id });
    expect((await follow(other, "eve")).status).toBe(200);
    readers[0]?.leave();
    await eventually(() => served.host.sessions.followers(id) === 3);
    expect((await follow(id, "eve")).status).toBe(200);
  });

  test("of one credential are limited, over all sessions", async () => {
    served = await testStreams({ limits: { streamsPerCredential: 3 } });
    const ids: SessionId[] = [];
    for (let n = 0; n < 4; n++) ids.push(await served.host.newSession());
    const [a, b, c, d] = ids as [SessionId, SessionId, SessionId, SessionId];
    const first = await follow(a);
    for (const id of [b, c]) expect((await follow(id)).status).toBe(200);
    for (let n = 0; n < 300; n++) expect((await follow(d)).status).toBe(429);
    expect((await follow(d, "bob")).status).toBe(200);
    first.leave();
    await eventually(() => served.streams.count === 3);
    expect((await follow(d)).status).toBe(200);
  });
});
