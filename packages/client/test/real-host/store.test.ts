import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { counted } from "../../../../test/story/world.ts";
import { when } from "../../src/cell.ts";
import { Wire } from "../wire.ts";
import { hasSaid, Stage, said } from "./page.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open({ pace: 10 });
});
afterEach(() => stage.close());
afterAll(() => stage.end());

/** Checks that a page has the host's state and all messages. */
async function sameAsHost({ world }: Stage, id: string, opened: ReturnType<Stage["open"]>) {
  const params = { sessionId: id };
  const { seq, state, messages, session } = await world.client.call("getTranscript", { params });
  const snapshot = await opened.is((one) => one.seq >= seq);
  expect(snapshot.state).toEqual(state);
  expect(snapshot.messages).toEqual(messages);
  expect(snapshot.drift).toBeNull();
  await opened.is((one) => one.session?.runtime.state === session.runtime.state);
  expect(opened.store.getSnapshot().session).toEqual(session);
}

const isOver = (outcome: string) => (snapshot: { run: { outcome: string | null } | null }) =>
  snapshot.run?.outcome === outcome;

test("a page whose host is killed again and again has every word once, and the host's own state [F28] [R004-49]", async () => {
  const { world } = stage;
  const { id } = await world.create("/count=150");
  const opened = stage.open(id);
  for (const word of ["<10>", "<40>", "<80>"]) {
    await opened.is(hasSaid(word));
    await world.kill();
    await world.start();
  }
  const snapshot = await opened.is(isOver("completed"));
  expect(said(snapshot)).toBe(counted(150));
  await sameAsHost(stage, id, opened);
  expect(opened.reads("transcript")).toBe(1);
});

test("two pages show the same run, and one opened in the middle shows all of it [R003-65] [R003-54]", async () => {
  const { id } = await stage.world.create("/count=80");
  const first = stage.open(id);
  await first.is(hasSaid("<20>"));
  const second = stage.open(id);
  await second.is(({ run }) => run?.status === "running");
  for (const opened of [first, second]) {
    expect(said(await opened.is(isOver("completed")))).toBe(counted(80));
    await sameAsHost(stage, id, opened);
  }
  expect(first.store.getSnapshot().messages).toEqual(second.store.getSnapshot().messages);
});

test("text changed in transit is noticed by the checksum, and corrected", async () => {
  const { world } = stage;
  const wire = await Wire.to(() => Number(new URL(world.url).port));
  stage.onEnd(() => wire.close());
  const { id } = await world.create();
  const opened = stage.open(id, { url: wire.url });
  await opened.is(({ now }) => now !== null);
  wire.rewrite = (bytes) => Buffer.from(bytes.toString("latin1").replace("<7>", "<X>"), "latin1");
  await world.send(id, "/count=20");
  const wrong = await opened.is(isOver("completed"));
  expect(said(wrong)).toContain("<X>");
  wire.rewrite = (bytes) => bytes;
  // A new connection starts with a heartbeat, which carries the journal's checksum.
  wire.cut();
  expect(said(await opened.is((snapshot) => !said(snapshot).includes("<X>")))).toBe(counted(20));
  await sameAsHost(stage, id, opened);
  expect(opened.reads("transcript")).toBe(2);
});

test("a page on a half-open socket reconnects when it wakes, and gets all missed events [U9] [U10] [F31]", async () => {
  const { world } = stage;
  const wire = await Wire.to(() => Number(new URL(world.url).port));
  stage.onEnd(() => wire.close());
  const { id } = await world.create("/count=60");
  const window = new EventTarget();
  const opened = stage.open(id, { url: wire.url, page: { window } });
  await opened.is(hasSaid("<5>"));
  wire.deafen();
  await world.untilKind(id, "run.completed");
  const { connection } = opened.holdfast.feed;
  expect(connection.getSnapshot().state).toMatch(/live|catching_up/);
  expect(opened.store.getSnapshot().run?.outcome).toBeNull();
  window.dispatchEvent(new Event("pageshow"));
  await when(connection, ({ state }) => state === "away");
  expect(said(await opened.is(isOver("completed")))).toBe(counted(60));
  await sameAsHost(stage, id, opened);
}, 20_000);

test("a host behind a proxy that blocks WebSockets is followed by SSE", async () => {
  const { id } = await stage.world.create("/count=40");
  const opened = stage.open(id, { openSocket: null });
  expect(said(await opened.is(isOver("completed")))).toBe(counted(40));
  expect(opened.holdfast.feed.connection.getSnapshot()).toEqual({ state: "live", via: "stream" });
  await sameAsHost(stage, id, opened);
});

test("the list shows at once what a session does, and a revoked device is told so once", async () => {
  const { world } = stage;
  const { code } = await world.client.call("createLink", { body: {} });
  const { token, device } = await world.client.call("login", { body: { code, name: "phone" } });
  const { holdfast } = stage.page({ token });
  const list = holdfast.sessions();
  stage.onEnd(list.subscribe(() => undefined));
  await when(list, ({ phase }) => phase === "ready");
  const { id } = await world.create("/ask");
  const waits = await when(list, ({ sessions }) => sessions[0]?.status === "waiting");
  expect(waits.sessions[0]).toMatchObject({ id, unread: true });
  await world.client.call("revokeDevice", { params: { deviceId: device.id } });
  await when(holdfast.feed.connection, ({ state }) => state === "unauthorized");
});
