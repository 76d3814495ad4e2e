import { afterAll, afterEach, describe, expect, test } from "vitest";
import { demo, endPlaces, endSessions } from "./testing/place.ts";
import {
  answer,
  heard,
  memories,
  output,
  putAway,
  revive,
  revivedAgain,
  say,
} from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

describe("native resume", () => {
  test("of an agent that remembers is verified, and the next prompt repeats no history [R004-3]", async () => {
    const { p, id } = await putAway(["/say first", "/say second"]);
    const resumed = await revive(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "verified" });
    expect(resumed?.receipt).toMatchObject({ lost: [], maybeTwice: [] });
    await say(p, id, "/say third");
    expect(heard(p, id).at(-1)).toBe("/say third");
  });

  test("loads the same agent session every time, and no replay is journalled again [U11] [F45]", async () => {
    const { p, id } = await putAway(["/say first"]);
    const { seq, runtime } = await p.sessions.state(id);
    expect(runtime.agentSessionId).not.toBeNull();
    await p.prompt(id, "/ask /say done");
    await answer(p, id, await p.kind(id, "approval.requested", seq), "allow");
    await p.kind(id, "run.completed", seq);
    const before = await output(p, id);
    for (const _time of [1, 2, 3]) {
      expect(await revivedAgain(p, id)).toMatchObject({ rung: "native", grade: "verified" });
      expect((await p.sessions.state(id)).runtime.agentSessionId).toBe(runtime.agentSessionId);
    }
    expect(memories(p, id)).toHaveLength(1);
    expect(await output(p, id)).toEqual(before);
    expect(await p.of(id, "agent.session_retired")).toEqual([]);
  });

  test("of an agent that forgets most of it is partial; the next prompt tells all that is missing, once for all [U5]", async () => {
    const { p, id } = await putAway(["/say first", "/say second", "/say third /forget"]);
    const resumed = await revive(p, id);
    expect(resumed).toMatchObject({ rung: "native", grade: "partial" });
    expect(resumed?.receipt?.lost).toHaveLength(1);
    await say(p, id, "/say fourth");
    const told = heard(p, id).at(-1) ?? "";
    expect(told).toContain("=== EXECUTION HISTORY ===");
    expect(told).toContain("third");
    await say(p, id, "/say fifth");
    expect(heard(p, id).at(-1)).toBe("/say fifth");
    // The agent's memory holds the told history through that prompt, so it is not missing again.
    expect(await revivedAgain(p, id)).toMatchObject({ grade: "verified" });
  });

  test("is not ahead by a warning that the agent puts into its replay", async () => {
    const { p, id } = await putAway(["/say first", "/lie=warns"]);
    expect(await revive(p, id)).toMatchObject({ rung: "native", grade: "verified" });
  });
});

describe("an agent that replays after it said that it is done", () => {
  test("is given time to finish, and its late entries do not count as new [F45]", async () => {
    const late = { ...demo(), lateReplay: 30_000 };
    const { p, id } = await putAway(["/say first", "/lie=late"], { definitions: [late] });
    const before = await output(p, id);
    expect(await revive(p, id)).toMatchObject({ rung: "native", grade: "verified" });
    await say(p, id, "/say next");
    expect((await output(p, id)).slice(0, before.length)).toEqual(before);
    expect(await p.of(id, "agent.spoke")).toEqual([]);
  });

  test("is judged when its time is over", async () => {
    const late = { ...demo(), lateReplay: 100 };
    const { p, id } = await putAway(["/say first", "/lie=empty"], { definitions: [late] });
    expect(await revive(p, id)).toMatchObject({ rung: "injected" });
  });
});
