import type { RouteName, RouteSpec, SessionId } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import type { Script } from "../testing/scripted-agent.ts";
import { type Asked, requestOf, type TestApp, testApp } from "./testing/test-app.ts";

/** Minimal valid bodies, so that only the tenant can be wrong. */
const bodies: { readonly [N in RouteName]?: Asked<N>["body"] } = {
  updateSession: { title: "Mine now" },
  sendMessage: { content: "Hello" },
  editQueued: { content: "Changed" },
  breakSession: { what: "agent" },
  decideApproval: { decision: "allow" },
};

const led = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(([, { path }]) =>
  /:(sessionId|runId)/.test(path),
);

const asking: Script = () => [
  { type: "tool_started", toolCallId: "t1", name: "bash", input: { cmd: "rm x" }, gated: false },
  {
    type: "ask",
    toolCallId: "t1",
    toolName: "bash",
    input: { cmd: "rm x" },
    allowed: [],
    denied: [],
  },
];

/** A session of tenant `local` with everything a route can name: a run, a question, a queue, a rule. */
async function victim() {
  const test = await testApp({ script: asking });
  const { session, run } = await test.ask("createSession", {
    body: { agent: "demo", message: "Work" },
  });
  const sessionId = session.id as SessionId;
  await test.host.until(sessionId, "token.minted");
  const { queued } = await test.ask("sendMessage", {
    params: { sessionId },
    body: { content: "Then this" },
  });
  const status = await test.ask("getStatus", { params: { sessionId } });
  const params = {
    sessionId,
    runId: run?.id ?? "",
    messageId: queued?.id ?? "",
    approvalId: status.run?.pendingApproval?.id ?? "",
    ruleId: "rule_00000000000070008000000000000000",
  };
  return { ...test, params };
}

const unknown = {
  sessionId: "sess_00000000000070008000000000000000",
  runId: "run_00000000000070008000000000000000",
};

async function answerTo({ app }: TestApp, name: RouteName, params: object, as: string) {
  const body = bodies[name];
  const asked = { params, as, ...(body === undefined ? {} : { body }) };
  const response = await app.request(requestOf(name, asked as never));
  return { status: response.status, body: await response.text() };
}

describe("[P37] [S1] another tenant's session", () => {
  test("is not found on any route, with the same words as an unknown id", async () => {
    const test = await victim();
    const before = await test.host.events(test.params.sessionId);
    expect(led.length).toBeGreaterThan(25);
    for (const [name] of led) {
      const theirs = await answerTo(test, name, test.params, "other");
      const nobodys = await answerTo(test, name, { ...test.params, ...unknown }, "other");
      expect([name, theirs.status]).toEqual([name, 404]);
      expect([name, theirs]).toEqual([name, nobodys]);
    }
    expect(await test.host.events(test.params.sessionId)).toEqual(before);
  });

  test("is found by its own tenant on every one of these routes", async () => {
    for (const [name, { path }] of led) {
      const test = await victim();
      const { status, body } = await answerTo(test, name, test.params, "local");
      // The control: the refusals above are due to the tenant alone.
      const notFound = /"code":"(session|run)_not_found"/.test(body);
      expect([name, path, status === 404 && notFound]).toEqual([name, path, false]);
    }
  });

  test("is not loaded for callers of another tenant", async () => {
    const { host, params } = await victim();
    const next = await testApp({ host: await host.crash({ policy: { idleStateAge: 0 } }) });
    await next.host.sessions.dropIdle();
    expect(next.host.sessions.loaded).toBe(0);
    for (const [name] of led) await answerTo(next, name, params, "other");
    expect(next.host.sessions.loaded).toBe(0);
  });

  test("costs the same journal reads as an unknown one, and so do its runs", async () => {
    const { host, refused, params } = await victim();
    const { journal } = host;
    const looks: string[] = [];
    const { find, standing } = journal;
    journal.find = (id) => {
      looks.push("find");
      return find.call(journal, id);
    };
    journal.standing = async (id, tenant) => {
      const found = await standing.call(journal, id, tenant);
      looks.push(found === null ? "nothing stands" : "standing");
      return found;
    };
    for (const runId of [params.runId, unknown.runId]) {
      looks.length = 0;
      await refused("getRun", { params: { runId }, as: "other" });
      expect([runId, ...looks]).toEqual([runId, "find", "nothing stands"]);
    }
    for (const sessionId of [params.sessionId, unknown.sessionId]) {
      looks.length = 0;
      await refused("getSession", { params: { sessionId }, as: "other" });
      expect([sessionId, ...looks]).toEqual([sessionId, "nothing stands"]);
    }
  });

  test("is in no list, and another tenant cannot create a link to it", async () => {
    const { ask, refused, params } = await victim();
    expect((await ask("listSessions", { as: "other" })).sessions).toEqual([]);
    expect((await ask("listSessions")).sessions).toHaveLength(1);
    const session = params.sessionId;
    const theirs = await refused("createLink", { as: "other", body: { session } });
    const nobodys = await refused("createLink", {
      as: "other",
      body: { session: unknown.sessionId },
    });
    expect(theirs).toEqual(nobodys);
  });

  test("is not found by its creation key, nor by a run's id in the index", async () => {
    const { ask, refused } = await victim();
    const mine = await ask("createSession", { body: { agent: "demo" }, key: "k" });
    const other = await ask("createSession", { body: { agent: "demo" }, key: "k", as: "other" });
    expect(other.session.id).not.toBe(mine.session.id);
    for (const runId of ["create/local/k", "../sessions", mine.session.id]) {
      expect((await refused("getRun", { params: { runId } })).code).toBe("run_not_found");
    }
  });

  test("is not opened by its token when another tenant presents it", async () => {
    const { host, refused, params } = await victim();
    const token = host.tokens[0] ?? "";
    const problem = await refused("decideApproval", {
      params,
      as: "other",
      body: { decision: "allow", token },
    });
    expect(problem.code).toBe("run_not_found");
    const { run } = await host.sessions.state(params.sessionId);
    expect(run?.approvals[0]?.decision).toBeNull();
  });
});
