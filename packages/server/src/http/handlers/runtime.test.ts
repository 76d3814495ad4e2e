import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { done, failed, type Script, type Step, text } from "../../testing/scripted-agent.ts";
import type { TestHost } from "../../testing/test-host.ts";
import { testApp } from "../testing/test-app.ts";

const UNKNOWN = "sess_00000000000070008000000000000000";

const stalled: Step[] = [
  text("so far"),
  { type: "tool_started", toolCallId: "t1", name: "bash", input: { cmd: "make" }, gated: false },
  { type: "stall" },
];
const script: Script = ({ content, way }) => {
  if (way === "continue") return [text("went on"), done()];
  if (content === "stall") return stalled;
  if (content === "fail") return [failed("content_policy", "Not that")];
  return [done()];
};

/** A session whose agent stopped an hour ago, after it worked on `message`. */
async function paused(message: "go" | "fail" | "stall" = "go", path: string | null = null) {
  const first = await testApp({ script });
  const place = path === null ? {} : { workspace: { kind: "in-place" as const, path } };
  const body = { agent: "demo", message, ...place };
  const { session } = await first.ask("createSession", { body });
  const sessionId = session.id as SessionId;
  const happened = { go: "run.completed", fail: "run.failed", stall: "tool.started" } as const;
  await first.host.until(sessionId, happened[message]);
  const app = await testApp({ host: await first.host.crash(), script });
  app.host.clock.advance(3_600_000);
  return { ...app, sessionId, params: { sessionId } };
}

/** Holds back the commit that ends a revive until `gate` settles; a rejection fails it. */
function holdRevive({ journal }: TestHost, gate: Promise<void>): void {
  const append = journal.append.bind(journal);
  journal.append = async (batch) => {
    if (batch.text.includes('"session.resumed"')) await gate;
    return append(batch);
  };
}

describe("resuming a session", () => {
  test("[R001-22] [R001-37] [R001-32] revives it and answers with it, as creating one does", async () => {
    const { answer, ask, params } = await paused();
    expect((await ask("getSession", { params })).session.lifecycle).toBe("paused");
    const { status, reply } = await answer("resumeSession", { params });
    expect(status).toBe(200);
    expect(reply).toMatchObject({
      session: { id: params.sessionId, lifecycle: "active", runtime: { state: "live" } },
      resume: { rung: "fresh", ms: 0, grade: null, receipt: null },
    });
    const made = await ask("createSession", { body: { agent: "demo" } });
    expect(Object.keys(reply.session)).toEqual(Object.keys(made.session));
    expect((await ask("getSession", { params })).session).toEqual(reply.session);
  });

  test("[R001-23] with an unknown id is not found", async () => {
    const { refused } = await testApp();
    expect(await refused("resumeSession", { params: { sessionId: UNKNOWN } })).toMatchObject({
      status: 404,
      error: "Session not found",
    });
  });

  test("[R001-24] that is active has no effect", async () => {
    const { answer, ask, host, sessionId, params } = await paused();
    await ask("resumeSession", { params });
    const before = await host.events(sessionId);
    for (const body of [{}, { wait: false }, { mode: "continue" }] as const) {
      const { status, reply } = await answer("resumeSession", { params, body });
      expect(status).toBe(200);
      expect(reply).toMatchObject({ session: { lifecycle: "active" }, resume: null });
    }
    expect(await host.events(sessionId)).toEqual(before);
  });

  test("[R001-25] [R004-13] that has ended is refused for good", async () => {
    const { ask, refused, params } = await paused();
    await ask("endSession", { params });
    expect(await refused("resumeSession", { params })).toMatchObject({
      status: 410,
      code: "session_ended",
      error: "Session has ended and cannot be resumed",
    });
  });

  test("[R004-56] without waiting is answered as soon as the agent is starting", async () => {
    const { answer, ask, host, sessionId, params } = await paused();
    const gate = Promise.withResolvers<void>();
    holdRevive(host, gate.promise);
    const { status, reply } = await answer("resumeSession", { params, body: { wait: false } });
    expect(status).toBe(202);
    expect(reply).toMatchObject({ session: { runtime: { state: "starting" } }, resume: null });
    gate.resolve();
    await host.until(sessionId, "session.resumed");
    expect((await ask("getSession", { params })).session.runtime.state).toBe("live");
  });

  test("is answered at the time limit when it takes long, and continues", async () => {
    const { answer, host, sessionId, params } = await paused();
    const gate = Promise.withResolvers<void>();
    holdRevive(host, gate.promise);
    const asked = answer("resumeSession", { params });
    await host.until(sessionId, "session.reviving");
    await new Promise(setImmediate);
    host.clock.advance(host.policy.reviveLimit);
    expect(await asked).toMatchObject({ status: 202, reply: { resume: null } });
    gate.resolve();
    await host.until(sessionId, "session.resumed");
  });

  test("is one revive for any number of concurrent requests", async () => {
    const { ask, host, sessionId, params } = await paused();
    const replies = await Promise.all([1, 2, 3].map(() => ask("resumeSession", { params })));
    expect(replies.map(({ resume }) => resume?.rung)).toEqual(["fresh", "fresh", "fresh"]);
    const events = await host.events(sessionId);
    expect(events.filter(({ kind }) => kind === "session.resumed")).toHaveLength(1);
  });

  test("reports a failure to the waiting caller, and logs it also when there is none", async () => {
    const { refused, answer, params, host } = await paused();
    const failure = Promise.reject(new Error("no such file"));
    failure.catch(() => undefined);
    holdRevive(host, failure);
    expect(await refused("resumeSession", { params })).toMatchObject({ code: "launch_failed" });
    expect(host.errors).toHaveLength(1);
    expect((await answer("resumeSession", { params, body: { wait: false } })).status).toBe(202);
    await expect.poll(() => host.errors).toHaveLength(2);
  });
});

describe("continuing", () => {
  test("starts a new run that names the interrupted one", async () => {
    const { ask, host, sessionId, params } = await paused("stall");
    const { session } = await ask("getSession", { params });
    expect(session.status).toBe("interrupted_startup");
    await ask("resumeSession", { params, body: { mode: "continue" } });
    await host.until(sessionId, "run.completed");
    const { runs } = await ask("listRuns", { params });
    expect(runs).toMatchObject([
      { status: "completed", continues: session.currentRunId, contentParts: [{ text: "went on" }] },
      { status: "interrupted", contentParts: [{ text: "so far" }, { status: "unknown" }] },
    ]);
  });

  test("twice at once is one continuation", async () => {
    const { ask, params } = await paused("stall");
    const body = { mode: "continue" } as const;
    await Promise.all([1, 2, 3].map(() => ask("resumeSession", { params, body })));
    expect((await ask("listRuns", { params })).runs).toHaveLength(2);
  });

  test("also continues failed work, but no work that a person stopped or that is completed", async () => {
    const failing = await paused("fail");
    await failing.ask("resumeSession", { params: failing.params, body: { mode: "continue" } });
    expect((await failing.ask("listRuns", { params: failing.params })).runs).toHaveLength(2);
    const completed = await paused("go");
    await completed.ask("resumeSession", { params: completed.params, body: { mode: "continue" } });
    expect((await completed.ask("listRuns", { params: completed.params })).runs).toHaveLength(1);
  });

  test("is separate from reviving, which leaves interrupted work as it is", async () => {
    const { ask, params } = await paused("stall");
    const { session } = await ask("resumeSession", { params });
    expect(session).toMatchObject({ lifecycle: "active", status: "interrupted_startup" });
  });
});

describe("the status of a session", () => {
  test("[R004-8] [R004-9] [R004-10] [R004-55] says whether it needs a resume, with the reason", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-status-"));
    const { ask, host, sessionId, params } = await paused("go", folder);
    const status = () => ask("getStatus", { params });
    expect((await status()).needsResume).toBe(false);
    await ask("updateSession", { params, body: { policy: { onOpen: "revive" } } });
    expect(await status()).toMatchObject({
      lifecycle: "paused",
      status: "idle",
      nextRung: "fresh",
      workspaceOk: true,
      // The scripted agent has no native session to resume.
      needsResume: true,
      isResumable: true,
      reason: "agent_not_running_fresh_start",
    });
    await ask("resumeSession", { params });
    await host.sessions.execute(sessionId, "agentReady", { agentSessionId: "a1", holderId: null });
    expect(await status()).toMatchObject({ needsResume: false, reason: "already_running" });
    await ask("pauseSession", { params });
    expect(await status()).toMatchObject({ needsResume: false, reason: "stale_execution" });
    host.clock.advance(10_000);
    expect(await status()).toMatchObject({ needsResume: true, reason: "agent_not_running" });
    rmdirSync(folder);
    expect(await status()).toMatchObject({ needsResume: false, workspaceOk: false });
  });
});

describe("pausing", () => {
  test("[R001-35] [R001-33] stops a session's agent until the next message", async () => {
    const { ask, host, sessionId, params } = await paused();
    await ask("resumeSession", { params });
    const { session } = await ask("pauseSession", { params });
    expect(session).toMatchObject({ lifecycle: "paused", runtime: { state: "none" } });
    await ask("sendMessage", { params, body: { content: "stall" } });
    await host.until(sessionId, "tool.started");
    expect((await ask("getSession", { params })).session.lifecycle).toBe("active");
  });
});

describe("breaking", () => {
  test("is possible in the demo agent's sessions alone", async () => {
    const { refused, host } = await testApp();
    const demo = { sessionId: await host.newSession() };
    const other = { sessionId: await host.newSession({ agentName: "codex" }) };
    const body = { what: "agent" } as const;
    // The agent inside the process has no process of its own to kill.
    expect((await refused("breakSession", { params: demo, body })).code).toBe("not_open");
    expect((await refused("breakSession", { params: other, body })).code).toBe("forbidden");
  });
});
