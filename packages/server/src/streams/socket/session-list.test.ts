import { type CommandInput, type Happening, listedView, sessionView } from "@holdfast/protocol";
import { afterEach, expect, test } from "vitest";
import { done, type Step, scriptedAgent } from "../../testing/scripted-agent.ts";
import { testHost } from "../../testing/test-host.ts";
import { flood, floodableHost } from "../testing/flood.ts";
import { type TestStreams, testStreams } from "../testing/served.ts";
import { TestSocket } from "../testing/socket.ts";

let served: TestStreams;
afterEach(() => served.close());

async function watching(secret: string): Promise<TestSocket> {
  const socket = await TestSocket.open(served.port, secret);
  socket.say({ type: "subscribe_sessions" });
  await socket.next("subscribed_sessions");
  return socket;
}

/** Waits until all earlier messages have arrived. */
async function settled(socket: TestSocket): Promise<void> {
  socket.say({ type: "ping" });
  await socket.next("pong");
}

test("the list sends a row when it changes, and streaming text in pieces", async () => {
  served = await testStreams({ host: await floodableHost() });
  const { host } = served;
  const { sessions } = host;
  const socket = await watching("ann");
  const id = await host.newSession({ title: "Fix it" });
  const { state } = await sessions.execute(id, "prompt", { content: "go" });
  await host.until(id, "attempt.accepted");
  const record = (output: CommandInput<"record">["output"]) =>
    sessions.execute(id, "record", { runId: state.run?.id ?? "", attempt: 1, output });
  for (let n = 0; n < 60; n++) await record([{ type: "text", text: "word " }]);
  const call = { toolCallId: "t", name: "Edit", input: { path: "a.ts" }, gated: false };
  await record([{ type: "tool_started", ...call }]);
  const happenings = () => socket.of("session").map(({ happening }) => happening as Happening);
  await socket.until(() => happenings().at(-1)?.kind === "does");
  const view = sessionView(await sessions.state(id), { epoch: sessions.epoch });
  expect(view.happening).toEqual({ kind: "does", text: "Edit a.ts" });
  const row = { type: "session", session: id, ...listedView(view) };
  expect(socket.of("session").at(-1)).toEqual(row);
  // One more when a new minute begins during the test.
  const said = happenings().filter((happening) => happening?.kind === "said");
  expect([3, 4]).toContain(said.length);
});

test("the list sends a row when an idle agent speaks, so that its session is unread", async () => {
  served = await testStreams();
  const { sessions } = served.host;
  const id = await served.host.newSession();
  const socket = await watching("ann");
  await sessions.execute(id, "rename", { title: "Told" });
  served.host.clock.advance(2000);
  await sessions.execute(id, "speak", { output: [{ type: "text", text: "By the way" }] });
  const { spokenAt } = await sessions.state(id);
  await settled(socket);
  expect(socket.of("session").at(-1)?.lastActiveAt).toBe(spokenAt);
});

test("the list sends each tenant its own sessions only, until it is unsubscribed", async () => {
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

test("a reader that falls behind gets the latest row of each session, not all of them", async () => {
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

test("the list sends each tenant the number of its sessions that need a person, when that changes", async () => {
  const ask: Step = {
    type: "ask",
    toolCallId: "t",
    toolName: "bash",
    input: {},
    allowed: [done()],
    denied: [done()],
  };
  served = await testStreams({
    host: await testHost({ agents: [scriptedAgent("demo", () => [ask])] }),
  });
  const { host } = served;
  const [ours, theirs] = [await watching("ann"), await watching("other-bob")];
  const id = await host.newSession({ tenant: "local" });
  await host.sessions.execute(id, "prompt", { content: "go" });
  const { runId } = await host.until(id, "run.waiting");
  const waiting = () => ours.of("needs").map(({ waiting }) => waiting);
  await ours.until(() => waiting().at(-1) === 1);
  await host.sessions.execute(id, "cancel", { runId, by: "user" });
  await ours.until(() => waiting().at(-1) === 0);
  await settled(theirs);
  expect(theirs.of("needs")).toEqual([]);
});
