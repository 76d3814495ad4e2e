import { afterEach, expect, test } from "vitest";
import { done, scriptedAgent, text } from "../testing/scripted-agent.ts";
import { testHost } from "../testing/test-host.ts";
import { flood, floodableHost } from "./testing/flood.ts";
import { type TestStreams, testStreams } from "./testing/served.ts";
import { TestSocket } from "./testing/socket.ts";

let served: TestStreams;
afterEach(() => served.close());

async function watching(secret: string): Promise<TestSocket> {
  const socket = await TestSocket.open(served.port, secret);
  socket.say({ type: "subscribe_sessions" });
  await socket.next("subscribed_sessions");
  return socket;
}

/** All that was said before has arrived. */
async function settled(socket: TestSocket): Promise<void> {
  socket.say({ type: "ping" });
  await socket.next("pong");
}

test("the list tells new words of a session once, and not every event", async () => {
  const agent = scriptedAgent("demo", () => [...Array(50).fill(text("word ")), done()]);
  served = await testStreams({ host: await testHost({ agents: [agent] }) });
  const { host } = served;
  const socket = await watching("ann");
  const id = await host.newSession({ title: "Fix it" });
  await host.sessions.execute(id, "prompt", { content: "go" });
  await host.until(id, "run.completed");
  await host.sessions.execute(id, "rename", { title: "Fixed" });
  await socket.until(() => socket.of("session").at(-1)?.title === "Fixed");
  const { seq, updatedAt } = await host.sessions.state(id);
  const rows = socket.of("session");
  const words = rows.map(({ lifecycle, status, title }) => `${lifecycle} ${status} ${title}`);
  expect(words.filter((word, n) => word === words[n - 1])).toEqual([]);
  expect(rows.map(({ status }) => status)).toContain("running");
  expect(rows.length).toBeLessThan(8);
  expect(rows.at(-1)).toEqual({
    type: "session",
    session: id,
    lifecycle: "active",
    status: "idle",
    title: "Fixed",
    updatedAt,
    lastSeq: seq,
  });
});

test("it tells each tenant of its own sessions only, until it is unsubscribed", async () => {
  served = await testStreams();
  const { host } = served;
  const [ours, theirs] = [await watching("ann"), await watching("other-bob")];
  const our = await host.newSession({ tenant: "local" });
  const their = await host.newSession({ tenant: "other" });
  await Promise.all([settled(ours), settled(theirs)]);
  expect(ours.of("session").map(({ session }) => session)).toEqual([our]);
  expect(theirs.of("session").map(({ session }) => session)).toEqual([their]);
  ours.say({ type: "unsubscribe_sessions" });
  await ours.next("unsubscribed_sessions");
  await host.sessions.execute(our, "rename", { title: "Later" });
  await settled(ours);
  expect(ours.of("session")).toHaveLength(1);
});

test("a reader that falls behind gets the last words of each session, not all of them", async () => {
  served = await testStreams({ host: await floodableHost() });
  const { host } = served;
  const loud = await host.newSession();
  await flood(host, loud, 20);
  const socket = await watching("ann");
  const ids = await Promise.all([1, 2, 3].map(() => host.newSession()));
  socket.say({ type: "subscribe", session: loud, after: 0 });
  await socket.next("subscribed");
  socket.socket.pause();
  for (let n = 0; n < 200; n++) {
    const title = `Title ${n}`;
    await Promise.all(ids.map((id) => host.sessions.execute(id, "rename", { title })));
  }
  socket.socket.resume();
  await socket.until(() =>
    ids.every((id) => socket.of("session", id).at(-1)?.title === "Title 199"),
  );
  for (const id of ids) {
    const rows = socket.of("session", id).map(({ lastSeq }) => lastSeq as number);
    expect(rows.length).toBeLessThan(100);
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
  }
});
