import type { Holdfast } from "@holdfast/client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { counted, kinds } from "../../../../test/story/world.ts";
import { when } from "../../src/cell.ts";
import {
  useConnection,
  useOutbox,
  useResume,
  useRun,
  useSession,
  useSessions,
} from "../../src/react/index.ts";
import { type Mounted, mount } from "../dom.ts";
import { Stage } from "./page.ts";

let stage: Stage;
const mounted: Mounted<unknown>[] = [];
beforeAll(async () => {
  stage = await Stage.open({ pace: 10 });
});
afterEach(async () => {
  for (const one of mounted.splice(0)) one.unmount();
  await stage.close();
});
afterAll(() => stage.end());

/** Mounts a hook; `is` waits until its value matches. */
function show<T>(holdfast: Holdfast, useIt: () => T) {
  const one = mount(holdfast, useIt);
  mounted.push(one as Mounted<unknown>);
  const is = (look: (value: T) => boolean) =>
    when(one.hook, (value) => value !== undefined && look(value));
  return { is, unmount: one.unmount, now: () => one.hook.getSnapshot() };
}

test("useRun finds a running run, and all its actions work [R003-53] [R003-54]", async () => {
  const { world } = stage;
  const { id } = await world.create("/count=40");
  const { holdfast } = stage.page();
  const run = show(holdfast, () => useRun(id));
  await run.is(({ isRunning }) => isRunning);
  const first = await run.is(({ run }) => run?.status === "completed");
  expect(first.answer?.contentParts).toMatchObject([{ type: "text", text: counted(40) }]);
  expect(first).toMatchObject({ isRunning: false, isPaused: false, pendingApproval: null });

  await first.startRun("/ask");
  const asked = await run.is(({ pendingApproval }) => pendingApproval !== null);
  expect(asked).toMatchObject({ isRunning: true, run: { status: "awaiting_approval" } });
  expect(await asked.submitApproval("allow", undefined, "another question")).toBeNull();
  await asked.submitApproval("allow", undefined, asked.pendingApproval?.id);
  const allowed = await run.is(
    (value) => value.run?.id === asked.run?.id && value.run?.status === "completed",
  );
  expect(allowed.pendingApproval).toBeNull();

  await allowed.startRun("/count=1000");
  const going = await run.is(({ run, answer }) => {
    return run?.status === "running" && (answer?.contentParts.length ?? 0) > 0;
  });
  await going.cancelRun();
  const cancelled = await run.is(({ run }) => run?.status === "cancelled");
  expect(cancelled.answer).toMatchObject({ status: "cancelled" });

  await cancelled.startRun("/fail");
  const failed = await run.is(({ run }) => run?.status === "error");
  expect(failed.run?.errorMessage).toBeTruthy();
  expect(failed.answer?.contentParts.length).toBeGreaterThan(0);
  expect(await failed.retryRun("start")).toBe(true);
  await run.is((value) => value.run?.continues === failed.run?.id);
  expect(kinds(await world.events(id), "run.cancelled")).toHaveLength(1);
});

test("a paused run differs from a running and a failed one, and resumeRun continues it [R003-53]", async () => {
  const { world } = stage;
  const { id } = await world.create("/ask");
  await world.untilKind(id, "approval.requested");
  const { holdfast } = stage.page();
  const run = show(holdfast, () => useRun(id));
  await run.is(({ pendingApproval }) => pendingApproval !== null);
  await world.client.call("pauseSession", { params: { sessionId: id } });
  const paused = await run.is(({ isPaused }) => isPaused);
  expect(paused).toMatchObject({ isRunning: false, run: { status: "paused", outcome: null } });
  expect(paused.pendingApproval).not.toBeNull();
  expect(await paused.resumeRun()).toBe(true);
  await run.is(({ isPaused, isRunning }) => !isPaused && isRunning);
});

describe("useResume of a paused session", () => {
  let sleepers: string[];
  // In parallel, because a host takes some time to call an agent gone.
  beforeAll(async () => {
    sleepers = await Promise.all([asleep(), asleep()]);
  });

  test("checks once when the page opens, and revives a session once if its policy says so [R004-6] [R004-7]", async () => {
    const [id = ""] = sleepers;
    const page = stage.page();
    const resume = show(page.holdfast, () => useResume(id));
    const session = show(page.holdfast, () => useSession(id));
    const resuming = await resume.is(({ state }) => state === "resuming");
    expect(resuming).toMatchObject({ status: { needsResume: true, isResumable: true } });
    const resumed = await resume.is(({ state }) => state === "resumed");
    expect(resumed).toMatchObject({ resume: { rung: expect.any(String) } });
    await session.is((value) => value.session?.lifecycle === "active");
    expect([page.reads("status"), page.posts("resume")]).toEqual([1, 1]);

    const again = show(page.holdfast, () => useResume(id));
    await again.is(({ state }) => state === "not_needed");
    expect([page.reads("status"), page.posts("resume")]).toEqual([2, 1]);
  });

  test("starts no agent for finished work by default, nor for interrupted work with `read` [R004-6]", async () => {
    const { world } = stage;
    const idle = (await world.create("/say hello")).id;
    await world.untilKind(idle, "run.completed");
    await world.client.call("pauseSession", { params: { sessionId: idle } });
    const cut = (await world.create("/slow=40 /count=500", { policy: { onOpen: "read" } })).id;
    await world.untilKind(cut, "text.appended");
    const { holder } = world.pids(cut);
    process.kill(holder ?? 0, "SIGKILL");
    await world.untilKind(cut, "run.interrupted");
    const page = stage.page();
    for (const id of [idle, cut]) {
      const { lastSeq } = await world.session(id);
      const resume = show(page.holdfast, () => useResume(id));
      await resume.is(({ state }) => state === "not_needed");
      expect((await world.session(id)).lastSeq).toBe(lastSeq);
    }
    expect(page.posts("resume")).toBe(0);
  });

  test("in two tabs at once asks for one resume [R004-7] [F13]", async () => {
    const { world } = stage;
    const id = sleepers[1] ?? "";
    const before = (await world.session(id)).lastSeq;
    const tabs = [stage.page(), stage.page()];
    const shown = tabs.map(({ holdfast }) => show(holdfast, () => useResume(id)));
    await Promise.all(shown.map(({ is }) => is(({ state }) => /resumed|not_needed/.test(state))));
    const sent = tabs.reduce((sum, { posts }) => sum + posts("resume"), 0);
    expect(sent).toBe(1);
    await expect.poll(async () => (await world.session(id)).lifecycle).toBe("active");
    const after = (await world.events(id)).filter(({ seq }) => seq > before);
    expect(kinds(after, "session.reviving").length).toBeLessThanOrEqual(1);
  });
});

/** A session whose agent has been gone long enough that no revival is in progress. */
async function asleep(): Promise<string> {
  const { world } = stage;
  const { id } = await world.create("/say hello", { policy: { onOpen: "revive" } });
  await world.untilKind(id, "run.completed");
  const params = { sessionId: id };
  await world.client.call("pauseSession", { params });
  const sleeps = async () => {
    const { needsResume } = await world.client.call("getStatus", { params });
    expect(needsResume).toBe(true);
  };
  await vi.waitFor(sleeps, { timeout: 20_000, interval: 200 });
  return id;
}

test("useResume of an ended session says that it cannot, and sends no request", async () => {
  const { world } = stage;
  const { id } = await world.create();
  await world.client.call("endSession", { params: { sessionId: id } });
  const page = stage.page();
  const { is } = show(page.holdfast, () => useResume(id));
  expect(await is(({ state }) => state !== "checking")).toMatchObject({
    state: "not_needed",
    status: { reason: "ended" },
  });
  expect(page.posts("resume")).toBe(0);
});

test("useSessions, useConnection and useOutbox show their stores, also across a kill of the host", async () => {
  const { world } = stage;
  const page = stage.page();
  const connection = show(page.holdfast, () => useConnection());
  const list = show(page.holdfast, () => useSessions({ q: "Findable" }));
  await list.is(({ phase }) => phase === "ready");
  const { id } = await world.create(undefined, { title: "A findable one" });
  await world.create(undefined, { title: "Another" });
  const { sessions } = await list.is((value) => value.sessions.length > 0);
  expect(sessions.map((one) => one.id)).toEqual([id]);
  const outbox = show(page.holdfast, () => useOutbox(id));
  await connection.is(({ state }) => state === "live");
  await world.kill();
  await connection.is(({ state }) => state === "away");
  await outbox.now().add(id, { type: "message", content: "/say later" });
  const waiting = await outbox.is(({ items }) => items.length === 1);
  expect(waiting).toMatchObject({ isLasting: false, items: [{ session: id }] });
  await world.start();
  await connection.is(({ state }) => state === "live");
  await outbox.is(({ items }) => items.length === 0);
  await world.untilKind(id, "run.completed");
});
