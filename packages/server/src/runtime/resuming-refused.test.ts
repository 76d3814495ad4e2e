import type { SessionId } from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { AgentDefinition } from "../agents/table/table.ts";
import { demo, endPlaces, endSessions, type Place } from "./testing/place.ts";
import { forget, heard, memories, mend, putAway, revive, say } from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

const sessionOf = async (p: Place, id: SessionId) =>
  (await p.sessions.state(id)).runtime.agentSessionId;

describe("a load that is refused for good", () => {
  test.each([
    ["no such session", null, /not found/i],
    ["no such method", "/lie=capability", /method not found/i],
    ["no such parameters", "/lie=params", /cannot be read/],
  ])(
    "%s: a new session is told the conversation, and the receipt says why [F17] [U8]",
    async (_what, lie, why) => {
      const { p, id } = await putAway(["/say first", lie ?? "/say second"]);
      if (lie === null) forget(p, id);
      const old = await sessionOf(p, id);
      const resumed = await revive(p, id);
      expect(resumed).toMatchObject({ rung: "injected", grade: "injected" });
      expect(resumed?.receipt?.lost).toEqual([expect.stringMatching(why)]);
      const [retired] = await p.of(id, "agent.session_retired");
      expect(retired).toMatchObject({ agentSessionId: old, reason: expect.stringMatching(why) });
      await say(p, id, "/say next");
      const told = heard(p, id).find((prompt) => prompt.startsWith("RESUME CONTEXT"));
      expect(told).toContain("[USER]: /say first");
    },
  );
});

describe("a load that fails for an unknown reason", () => {
  test("is asked for once more, and the moment may have passed [U24]", async () => {
    const { p, id } = await putAway(["/say first", "/lie=flaky"]);
    expect(await revive(p, id)).toMatchObject({ rung: "native", grade: "verified" });
    expect(memories(p, id)).toHaveLength(1);
    expect(await p.of(id, "agent.session_retired")).toEqual([]);
  });

  test("twice is a refusal: the agent can be used, and is told the conversation [U24] [U8]", async () => {
    const { p, id } = await putAway(["/say first", "/lie=error"]);
    const resumed = await revive(p, id);
    expect(resumed).toMatchObject({ rung: "injected" });
    expect(resumed?.receipt?.lost).toEqual([expect.stringContaining("a service failed")]);
    await say(p, id, "/say next");
    expect(heard(p, id).some((prompt) => prompt.startsWith("RESUME CONTEXT"))).toBe(true);
  });

  test("keeps the agent's session id for a later try when the history may not be told", async () => {
    const definitions = [{ ...demo(), history: "never" as const }];
    const { p, id } = await putAway(["/say first", "/lie=error"], { definitions });
    const old = await sessionOf(p, id);
    await expect(revive(p, id)).rejects.toMatchObject({ code: "launch_failed" });
    expect((await p.status(id)).status).toBe("idle");
    expect(await sessionOf(p, id)).toBe(old);
    mend(p, id);
    expect(await revive(p, id)).toMatchObject({ rung: "native", grade: "verified" });
  });
});

describe("a load that is not answered", () => {
  test.each([
    ["its process ends in the middle", "/lie=dies"],
    ["its time is over", "/lie=hangs"],
  ])(
    "%s: the launch failed, the id is kept, and the next resume uses it [F17] [U24]",
    async (_what, lie) => {
      const { p, id } = await putAway(["/say first", lie], { policy: { agentReady: 3_000 } });
      const old = await sessionOf(p, id);
      await expect(revive(p, id)).rejects.toMatchObject({ code: "launch_failed" });
      expect(await p.of(id, "session.revive_failed")).toHaveLength(1);
      expect(await sessionOf(p, id)).toBe(old);
      mend(p, id);
      expect(await revive(p, id)).toMatchObject({ rung: "native", grade: "verified" });
      expect(await sessionOf(p, id)).toBe(old);
      expect(memories(p, id)).toHaveLength(1);
    },
  );
});

test("an agent that wants its user to log in says so at once, is not tried again by itself, and keeps its session", async () => {
  const { p, id } = await putAway(["/say first", "/lie=auth"]);
  const old = await sessionOf(p, id);
  const { seq } = await p.sessions.state(id);
  await p.prompt(id, "/say next");
  const { error } = await p.kind(id, "run.failed", seq);
  expect(error).toMatchObject({ code: "login_required", transient: false });
  expect(error.message).toContain("Log in");
  expect(await p.of(id, "session.revive_failed")).toHaveLength(1);
  expect(await sessionOf(p, id)).toBe(old);
  mend(p, id);
  await say(p, id, "/say again");
  expect(await p.of(id, "session.resumed")).toMatchObject([{ rung: "native", grade: "verified" }]);
});

test("an agent that exits while the transcript is read fails the resume with the reason of its exit", async () => {
  const args = ["-c", "echo no config >&2; exit 3"];
  let isBroken = false;
  const agent: AgentDefinition = {
    ...demo(),
    launch: (at) => ({ ...demo().launch(at), ...(isBroken ? { command: "sh", args } : {}) }),
  };
  const { p, id } = await putAway(["/say first"], { definitions: [agent] });
  const { journal } = p;
  const read = journal.read.bind(journal);
  const holder = async () => (await p.sessions.state(id)).runtime.holderId;
  let delayed = 0;
  journal.read = async (...asked) => {
    if ((await holder()) !== null) delayed++;
    await expect.poll(holder).toBeNull();
    return read(...asked);
  };
  isBroken = true;
  await expect(revive(p, id)).rejects.toMatchObject({
    code: "launch_failed",
    message: "The agent has stopped (exit code 3: no config).",
  });
  expect(delayed).toBeGreaterThan(0);
});
