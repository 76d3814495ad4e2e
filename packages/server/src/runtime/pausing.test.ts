import { join } from "node:path";
import { type Event, openRun, type SessionId } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentDefinition } from "../agents/table/table.ts";
import { listHolders } from "../holder/host-side/list-holders.ts";
import { demo, endPlaces, isOutcome, openPlace, type Place, says } from "./testing/place.ts";

/** One host for all tests with a sound agent, each with a session of its own. */
let p: Place;
beforeAll(async () => {
  p = await openPlace();
});
afterAll(endPlaces);

const holders = (place: Place, id: SessionId) =>
  listHolders(join(place.data, "holders")).filter(({ sessionId }) => sessionId === id);
const isOfKind = (kind: string) => (event: Event) => event.kind === kind;

/** A session whose run is paused in the middle of its work. */
async function pausedRun() {
  const id = await p.create();
  const runId = await p.prompt(id, "/count=100");
  await p.until(id, says("<5>"));
  await p.host?.runtimes.pause(id);
  await expect.poll(() => holders(p, id)).toEqual([]);
  return { id, runId };
}

test("a run that is paused goes on as the same run when its session is resumed, and is not interrupted [R001-35]", async () => {
  const { id, runId } = await pausedRun();
  expect(await p.status(id)).toMatchObject({
    lifecycle: "paused",
    runStatus: "paused",
    pausedReason: "explicit",
  });
  expect(await p.host?.runtimes.revive(id, "revive").done).toMatchObject({ rung: "native" });
  const outcome = await p.until(id, isOutcome);
  expect(outcome).toMatchObject({ kind: "run.completed", runId });
  expect(await p.of(id, "attempt.started")).toMatchObject([
    { attempt: 1, cause: "prompt", way: "prompt" },
    { attempt: 2, cause: "resumed", way: "continue" },
  ]);
});

test("a paused run stays paused when the host is started anew", async () => {
  const { id, runId } = await pausedRun();
  await p.host?.close();
  await p.open();
  expect(await p.status(id)).toMatchObject({ lifecycle: "paused", runStatus: "paused" });
  await p.host?.runtimes.revive(id, "revive").done;
  expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.completed", runId });
});

test.each(["queue", "interrupt"] as const)(
  "a message to a paused run wakes it and comes behind it, or instead of it (%s) [R001-33]",
  async (whenBusy) => {
    const { id, runId } = await pausedRun();
    await p.sessions.execute(id, "prompt", { content: "/say next", whenBusy });
    await p.until(id, says("next"));
    const first = whenBusy === "queue" ? "run.completed" : "run.cancelled";
    expect(await p.until(id, isOutcome)).toMatchObject({ kind: first, runId });
    expect(await p.status(id)).toMatchObject({ lifecycle: "active" });
  },
);

test("a paused run that is cancelled needs no agent for that", async () => {
  const { id, runId } = await pausedRun();
  await p.sessions.execute(id, "cancel", { runId });
  expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.cancelled", runId });
  expect(await p.of(id, "holder.launched")).toHaveLength(1);
});

test("a question that was open when its session was paused is answered afterwards, and the run goes on", async () => {
  const id = await p.create();
  const runId = await p.prompt(id, "/ask");
  const { approvalId } = await p.kind(id, "approval.requested");
  await p.kind(id, "approval.marked");
  await p.host?.runtimes.pause(id);
  await expect.poll(() => holders(p, id)).toEqual([]);
  await p.host?.runtimes.revive(id, "revive").done;
  expect(openRun(await p.sessions.state(id))?.approvals).toMatchObject([{ id: approvalId }]);
  const answer = { runId, approvalId, decision: "allow" as const, by: "ann" };
  await p.sessions.execute(id, "decide", answer);
  expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.completed", runId });
});

/** The demo agent, started with a delay of one second. */
function slowToCome(): AgentDefinition {
  const sound = demo();
  return {
    ...sound,
    launch: (place) => {
      const spec = sound.launch(place);
      const script = `sleep 1; exec "$0" "$@"`;
      return { ...spec, command: "/bin/sh", args: ["-c", script, spec.command, ...spec.args] };
    },
  };
}

describe("a pause while the agent starts", () => {
  let p: Place;
  beforeAll(async () => {
    p = await openPlace({ definitions: [slowToCome()] });
  });

  async function pausedLaunch() {
    const id = await p.create();
    const runId = await p.prompt(id, "/say first");
    await p.until(id, isOfKind("holder.launched"));
    return { id, runId };
  }

  test("stops that; a message later makes it go on", async () => {
    const { id, runId } = await pausedLaunch();
    await p.host?.runtimes.pause(id);
    await expect.poll(() => holders(p, id)).toEqual([]);
    expect(await p.of(id, "attempt.accepted")).toEqual([]);
    expect(await p.status(id)).toMatchObject({ lifecycle: "paused", runStatus: "paused" });
    await p.prompt(id, "/say second");
    await p.until(id, says("second"));
    expect((await p.of(id, "run.completed"))[0]).toMatchObject({ runId });
    expect(await p.of(id, "run.failed")).toEqual([]);
  });

  test("stops that; a resume makes it go on", async () => {
    const { id, runId } = await pausedLaunch();
    await p.host?.runtimes.pause(id);
    expect(await p.host?.runtimes.revive(id, "revive").done).toMatchObject({ rung: "fresh" });
    expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.completed", runId });
  });

  test.each(["message", "resume"])("and a %s before it is stopped: it goes on", async (how) => {
    const { id, runId } = await pausedLaunch();
    const pausing = p.host?.runtimes.pause(id);
    await p.until(id, isOfKind("session.paused"));
    if (how === "message") await p.prompt(id, "/say second");
    else await p.host?.runtimes.revive(id, "revive").done;
    await pausing;
    expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.completed", runId });
    if (how === "message") await p.until(id, says("second"));
  });
});

describe("while a pause shuts the agent down", () => {
  test.each(["message", "run", "session"])(
    "%s: the run goes on with another agent",
    async (how) => {
      const id = await p.create();
      const runId = await p.prompt(id, "/count=100");
      await p.until(id, says("<5>"));
      const pausing = p.host?.runtimes.pause(id);
      await p.until(id, isOfKind("session.paused"));
      if (how === "message") await p.prompt(id, "/say second");
      if (how === "run") await p.sessions.execute(id, "unpauseRun", { runId, by: "ann" });
      const reviving = how === "message" ? null : p.host?.runtimes.revive(id, "revive").done;
      await pausing;
      await reviving;
      expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.completed", runId });
      if (how === "message") await p.until(id, says("second"));
      expect(await p.of(id, "run.interrupted")).toEqual([]);
    },
  );

  test("a message to an idle session is worked on, and not paused with it", async () => {
    const id = await p.create();
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    const pausing = p.host?.runtimes.pause(id);
    await p.until(id, isOfKind("session.paused"));
    await p.prompt(id, "/count=50");
    await pausing;
    await p.until(id, says("<50>"));
    expect(await p.of(id, "run.paused")).toEqual([]);
  });

  test("the host ends: the next one completes the pause, and the run stays paused", async () => {
    const id = await p.create();
    const runId = await p.prompt(id, "/count=500");
    await p.until(id, says("<5>"));
    await p.sessions.execute(id, "pause", { reason: "explicit" });
    await p.host?.close();
    await p.open();
    await expect.poll(() => holders(p, id)).toEqual([]);
    expect(await p.status(id)).toMatchObject({ lifecycle: "paused", runStatus: "paused" });
    await p.host?.runtimes.revive(id, "revive").done;
    expect(await p.until(id, isOutcome)).toMatchObject({ kind: "run.completed", runId });
  });
});
