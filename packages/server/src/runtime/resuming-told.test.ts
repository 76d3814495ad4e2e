import { afterAll, afterEach, describe, expect, test } from "vitest";
import { demo, endPlaces, endSessions, openPlace, says, sharedPlace } from "./testing/place.ts";
import {
  answer,
  cutOff,
  forget,
  heard,
  loseAll,
  memories,
  putAway,
  revive,
  revivedAgain,
  say,
} from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

const isTold = (prompt: string) => prompt.startsWith("RESUME CONTEXT");

describe("an agent that cannot or does not resume", () => {
  test.each([
    ["takes an id it never gave out, and starts empty", "/lie=unknown"],
    ["says that it cannot load sessions", "/lie=denies"],
    ["says that it can, and does not know the method", "/lie=capability"],
    ["loads, and replays nothing", "/lie=empty"],
  ])(
    "%s: the conversation is told with the first prompt, once [R004-4] [R004-29] [R004-37] [R004-38] [R004-48]",
    async (_what, lie) => {
      const { p, id } = await putAway(["/say first", lie]);
      if (lie === "/lie=unknown") forget(p, id);
      const resumed = await revive(p, id);
      expect(resumed).toMatchObject({ rung: "injected", grade: "injected" });
      expect(await p.of(id, "agent.session_retired")).toHaveLength(1);
      expect((await p.status(id)).status).toBe("idle");
      await say(p, id, "/say next");
      const told = heard(p, id).filter(isTold);
      expect(told).toHaveLength(1);
      expect(told[0]).toContain("[USER]: /say first");
      await say(p, id, "/say last");
      expect(heard(p, id).filter(isTold)).toHaveLength(1);
    },
  );

  test("gets no history when it starts fresh [R004-32]", async () => {
    const { p, id } = await putAway(["/say first"]);
    expect(await p.host?.runtimes.revive(id, "fresh").done).toMatchObject({ rung: "fresh" });
    await say(p, id, "/say next");
    expect(heard(p, id).toSorted()).toEqual(["/say first", "/say next"]);
  });
});

describe("that the history is to be told", () => {
  test("is in the state, with the session ready, until a prompt has told it [R004-24] [R004-31]", async () => {
    const { p, id } = await putAway(["/say first"]);
    forget(p, id);
    await revive(p, id);
    const due = async () => (await p.sessions.state(id)).runtime.contextFrom;
    expect(await due()).toBe((await p.sessions.open(id)).transcript.messages[0]?.seq);
    // The session stays idle, because no prompt was sent.
    expect(await p.status(id)).toMatchObject({ status: "idle", runtime: "live" });
    expect(heard(p, id)).toEqual([]);
    await say(p, id, "/say next");
    expect(await due()).toBeNull();
  });

  test("outlives the agent that was to be told, and its next load [R004-38]", async () => {
    const { p, id } = await putAway(["/say first"]);
    forget(p, id);
    expect(await revive(p, id)).toMatchObject({ rung: "injected" });
    expect(await revivedAgain(p, id)).toMatchObject({ rung: "native" });
    await say(p, id, "/say next");
    expect(heard(p, id).filter(isTold)).toHaveLength(1);
  });

  test("has all that was said and done, as it was sent and came, up to the kill [R004-35]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/lie=empty /count=20 /stall");
    const { toolCallId } = await p.kind(id, "tool.started");
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "run.interrupted");
    expect(await revive(p, id)).toMatchObject({ rung: "injected" });
    await say(p, id, "/say next");
    const told = heard(p, id).find(isTold);
    expect(told).toContain("[USER]: /lie=empty /count=20 /stall");
    expect(told).toContain("<19> <20>");
    expect(told).toMatch(/\[TOOL RESULT: Wait .*\] \(unknown\)/);
    expect(told).toContain("(this answer was cut off: interrupted)");
    expect(told).toContain(`(${toolCallId}) took effect is not known`);
  });

  test("includes a message that was never answered", async () => {
    const { p, id } = await cutOff("/die");
    forget(p, id);
    await say(p, id, "/say next");
    expect(heard(p, id)).toEqual([expect.stringContaining("[USER]: /die")]);
  });

  test("includes what a run had done before another session took it over", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/ask=2");
    const first = await p.kind(id, "approval.requested");
    await answer(p, id, first, "allow");
    const second = await p.kind(id, "approval.requested", first.seq);
    await p.kind(id, "approval.marked", second.seq);
    await loseAll(p);
    forget(p, id);
    const { seq } = (await answer(p, id, second, "deny")).state;
    await answer(p, id, await p.kind(id, "approval.requested", seq), "deny");
    await p.kind(id, "run.completed", seq);
    expect(heard(p, id).find(isTold)).toContain("[TOOL RESULT: Question 1] once");
  });

  test("depends on the agent's entry, and on there being one [R004-36]", async () => {
    const definitions = [{ ...demo(), history: "never" as const }];
    const never = await putAway(["/say first"], { definitions });
    forget(never.p, never.id);
    expect(await revive(never.p, never.id)).toMatchObject({ rung: "fresh", grade: null });
    await say(never.p, never.id, "/say next");
    expect(heard(never.p, never.id)).toEqual(["/say next"]);

    const p = await sharedPlace();
    const id = await p.create();
    await revive(p, id);
    await p.host?.runtimes.pause(id);
    expect(await revive(p, id)).toMatchObject({ rung: "native" });
    expect((await p.sessions.state(id)).runtime.contextFrom).toBeNull();
  });
});

describe("the agent's own session id", () => {
  test("is stored when it is ready, outlives its runs, and gives way to that of a new session", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const stored = async () => (await p.sessions.state(id)).runtime.agentSessionId;
    await p.prompt(id, "/count=20");
    await p.until(id, says("<1>"));
    const first = await stored();
    expect(memories(p, id)).toEqual([expect.stringContaining(`${first}.jsonl`)]);
    await p.kind(id, "run.completed");
    expect(await stored()).toBe(first);
    await p.host?.runtimes.pause(id);
    expect(await stored()).toBe(first);
    forget(p, id);
    await revive(p, id);
    expect(memories(p, id)).toEqual([expect.stringContaining(`${await stored()}.jsonl`)]);
    expect(await stored()).not.toBe(first);
  });

  test("of an agent without native resume is kept, and never used to load [R004-53]", async () => {
    const definitions = [{ ...demo(), resume: "none" as const }];
    const { p, id } = await putAway(["/say first"], { definitions });
    const before = (await p.sessions.state(id)).runtime.agentSessionId;
    expect(before).not.toBeNull();
    expect(await revive(p, id)).toMatchObject({ rung: "injected" });
    expect(await p.of(id, "agent.session_retired")).toEqual([]);
    expect(memories(p, id)).toHaveLength(2);
  });
});

test("a prompt that reached no agent is sent after the restart, unchanged [R004-25]", async () => {
  const sound = demo();
  const mute = {
    ...sound,
    launch: (place: Parameters<typeof sound.launch>[0]) => ({
      ...sound.launch(place),
      command: "/bin/sleep",
      args: ["1000"],
    }),
  };
  // A closing host does not wait for a launch, however long that takes.
  const p = await openPlace({ definitions: [mute], policy: { killLimit: 3600_000 } });
  const id = await p.create();
  const runId = await p.prompt(id, "/say hello");
  await p.kind(id, "holder.launched");
  await p.close();
  await p.open();
  await p.kind(id, "run.completed");
  expect(await p.of(id, "run.completed")).toMatchObject([{ runId }]);
  expect(heard(p, id)).toEqual(["/say hello"]);
});
