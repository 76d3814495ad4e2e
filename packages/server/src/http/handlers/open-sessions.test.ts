import type { SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { hostLimits } from "../../access/limits/host-limits.ts";
import { scriptedAgent } from "../../testing/scripted-agent.ts";
import { testHost } from "../../testing/test-host.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";

const body = { agent: "demo" };
const demo = scriptedAgent("demo", () => []);
const limits = { ...hostLimits, sessionsPerTenant: 3, sessions: 5 };
const small = (options: Parameters<typeof testApp>[0] = {}) =>
  testApp({ ...options, deps: { limits } });

async function make({ ask }: TestApp, times: number, as = "local"): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < times; n++) {
    ids.push((await ask("createSession", { body, as })).session.id);
  }
  return ids;
}

describe("[P34] open sessions", () => {
  test("of one tenant are limited; each one above the limit is refused", async () => {
    const test = await small();
    await make(test, 3);
    for (let n = 0; n < 300; n++) {
      const problem = await test.refused("createSession", { body });
      expect(problem).toMatchObject({ status: 429, code: "limit_reached" });
      expect(problem.detail).toContain("3 open sessions. End a session");
    }
    expect((await test.ask("listSessions")).sessions).toHaveLength(3);
    await make(test, 1, "other");
  });

  test("of all tenants together are limited", async () => {
    const test = await small();
    await make(test, 3);
    await make(test, 2, "other");
    const problem = await test.refused("createSession", { body, as: "third" });
    expect(problem).toMatchObject({ status: 429, code: "limit_reached" });
    expect(problem.detail).not.toContain("3");
  });

  test("stay within the limit when hundreds are requested at once", async () => {
    const test = await small();
    const asked = Array.from({ length: 300 }, () => test.send("createSession", { body }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(297);
  });

  test("free their place when one ends, and when one could not be created", async () => {
    const test = await small();
    const [first = ""] = await make(test, 3);
    await test.refused("createSession", { body });
    await test.host.sessions.execute(first as SessionId, "end", { reason: "explicit" });
    const policy = { nope: 1 };
    expect((await test.refused("createSession", { body: { ...body, policy } })).code).toBe(
      "bad_input",
    );
    await make(test, 1);
    await test.refused("createSession", { body });
  });

  test("requested again under the same key do not count twice", async () => {
    const test = await small();
    const first = await test.ask("createSession", { body, key: "k" });
    await make(test, 2);
    const again = await test.ask("createSession", { body, key: "k" });
    expect(again.session.id).toBe(first.session.id);
  });

  test("of an earlier process count, ended ones do not", async () => {
    const host = await testHost({ agents: [demo] });
    const ids: SessionId[] = [];
    for (let n = 0; n < 4; n++) ids.push(await host.newSession());
    for (const id of ids.slice(0, 2))
      await host.sessions.execute(id, "end", { reason: "explicit" });
    const next = await small({ host: await host.crash() });
    await make(next, 1);
    await next.refused("createSession", { body });
  });

  test("that end during the count are not counted", async () => {
    const host = await testHost({ agents: [demo] });
    const ids = [await host.newSession(), await host.newSession(), await host.newSession()];
    const next = await small({ host: await host.crash() });
    const { journal, sessions } = next.host;
    const list = journal.list.bind(journal);
    journal.list = async (query) => {
      const page = await list(query);
      for (const id of ids) await sessions.execute(id, "end", { reason: "explicit" });
      journal.list = list;
      return page;
    };
    await make(next, 3);
    await next.refused("createSession", { body });
  });
});
