import type { SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { done, failed, type Script, type Step, text } from "../../testing/scripted-agent.ts";
import { testApp } from "../testing/test-app.ts";

const DEADLINE = "2026-01-01T01:00:00.000Z";

const scripts: Record<string, readonly Step[]> = {
  stall: [
    text("so far"),
    { type: "tool_started", toolCallId: "t1", name: "bash", input: { cmd: "make" }, gated: false },
    { type: "stall" },
  ],
  wait: [
    text("secret plan"),
    { type: "await", kind: "external", deadlineAt: DEADLINE },
    text(" and on"),
    done(),
  ],
  fail: [text("half"), failed("content_policy", "Not that")],
  go: [text("done"), done()],
};
const script: Script = ({ content, way }) =>
  way === "continue" ? [text("went on"), done()] : (scripts[content] ?? []);

const reached = {
  stall: "tool.started",
  wait: "token.minted",
  fail: "run.failed",
  go: "run.completed",
} as const;

async function running(message: keyof typeof reached) {
  const app = await testApp({ script });
  const { session, run } = await app.ask("createSession", { body: { agent: "demo", message } });
  const sessionId = session.id as SessionId;
  await app.host.until(sessionId, reached[message]);
  return { ...app, sessionId, params: { runId: run?.id ?? "" } };
}

describe("reading a run", () => {
  test("[R003-30] gives its state and its output so far, for polling", async () => {
    const { ask, params, sessionId } = await running("stall");
    expect((await ask("getRun", { params })).run).toMatchObject({
      id: params.runId,
      sessionId,
      status: "running",
      pendingApproval: null,
      contentParts: [
        { type: "text", text: "so far" },
        { type: "tool", status: "running" },
      ],
    });
  });

  test("[R003-61] works for every past run, also after a restart", async () => {
    const { ask, host, params, sessionId } = await running("go");
    const message = { params: { sessionId }, body: { content: "go" } };
    const { run: second } = await ask("sendMessage", message);
    await host.until(sessionId, "run.completed", 2);
    const next = await testApp({ host: await host.crash() });
    for (const runId of [params.runId, second?.id ?? ""]) {
      const { run } = await next.ask("getRun", { params: { runId } });
      expect(run).toMatchObject({
        id: runId,
        status: "completed",
        contentParts: [{ text: "done" }],
      });
    }
  });
});

describe("cancelling", () => {
  test("[R003-8] [R003-27] works from any device; the first wins and later ones have no effect", async () => {
    const { ask, host, params, sessionId } = await running("stall");
    const [first, second] = await Promise.all([
      ask("cancelRun", { params }),
      ask("cancelRun", { params }),
    ]);
    expect([first.success, second.success]).toEqual([true, true]);
    await host.until(sessionId, "run.cancelled");
    const late = await ask("cancelRun", { params });
    expect(late).toMatchObject({ success: false, run: { outcome: "cancelled" } });
    const events = await host.events(sessionId);
    expect(events.filter(({ kind }) => kind === "run.cancel_requested")).toHaveLength(1);
  });

  test("[R003-10] keeps the output so far, marked as cancelled", async () => {
    const { ask, host, params, sessionId } = await running("stall");
    await ask("cancelRun", { params });
    await host.until(sessionId, "run.cancelled");
    const { messages } = await ask("getTranscript", { params: { sessionId } });
    expect(messages.at(-1)).toMatchObject({
      status: "cancelled",
      contentParts: [{ type: "text", text: "so far" }, { type: "tool" }],
    });
  });

  test("a run that is over says how it ended, whether or not it is the latest", async () => {
    const { ask, host, params, sessionId } = await running("go");
    expect(await ask("cancelRun", { params })).toMatchObject({
      success: false,
      run: { outcome: "completed" },
    });
    await ask("sendMessage", { params: { sessionId }, body: { content: "go" } });
    await host.until(sessionId, "run.completed", 2);
    expect(await ask("cancelRun", { params })).toMatchObject({
      success: false,
      run: { id: params.runId, outcome: "completed" },
    });
  });
});

describe("resuming a run", () => {
  test("that is paused continues it", async () => {
    const { ask, host, params, sessionId } = await running("stall");
    const reason = "abandoned";
    await host.sessions.execute(sessionId, "pauseRun", { ...params, reason });
    await host.sessions.execute(sessionId, "agentExited", { reason: "frozen" });
    expect((await ask("getRun", { params })).run).toMatchObject({ isPaused: true });
    const { success, run } = await ask("resumeRun", { params });
    expect(success).toBe(true);
    expect(run).toMatchObject({ id: params.runId, isPaused: false, status: "running" });
    await host.until(sessionId, "session.resumed");
  });

  test("that waits needs no token from its owner, and delivers the result", async () => {
    const { ask, host, params, sessionId } = await running("wait");
    const { success } = await ask("resumeRun", { params, body: { result: { ok: true } } });
    expect(success).toBe(true);
    await host.until(sessionId, "run.completed");
    const events = await host.events(sessionId);
    expect(events.find(({ kind }) => kind === "run.resumed")).toMatchObject({
      result: { ok: true },
      by: "local",
    });
  });

  test("that neither waits nor is paused is refused", async () => {
    const { refused, params } = await running("stall");
    expect((await refused("resumeRun", { params })).code).toBe("not_waiting");
  });

  test("by its token alone needs no other credential, and shows no output of the run", async () => {
    const { ask, host, params, sessionId } = await running("wait");
    const token = host.tokens[0] ?? "";
    const { success, run } = await ask("resumeRun", { params, as: null, body: { token } });
    expect(success).toBe(true);
    expect(run.contentParts).toEqual([]);
    expect(JSON.stringify(run)).not.toContain("secret plan");
    await host.until(sessionId, "run.completed");
  });

  test("works once; the winner's retry under its key gets the winner's answer", async () => {
    const { ask, refused, host, params } = await running("wait");
    const token = host.tokens[0] ?? "";
    const asked = { params, as: null, body: { token }, key: "k1" };
    expect((await ask("resumeRun", asked)).success).toBe(true);
    expect((await ask("resumeRun", asked)).success).toBe(true);
    expect((await refused("resumeRun", { ...asked, key: "k2" })).code).toBe("token_consumed");
  });

  test("works through its session too, with the token in the body", async () => {
    const { ask, host, sessionId } = await running("wait");
    const body = { token: host.tokens[0] ?? "" };
    await ask("resumeSession", { params: { sessionId }, body });
    await host.until(sessionId, "run.completed");
  });
});

describe("[R002-56] an unusable token is refused with the reason", () => {
  const ask = (token: string) => ({ as: null, body: { token } });

  test("no token at all, or not one of ours, or with a wrong secret: invalid", async () => {
    const { refused, host, params } = await running("wait");
    expect((await refused("resumeRun", { params, as: null })).code).toBe("unauthorized");
    const real = host.tokens[0] ?? "";
    const wrong = real.replace(/\.[^.]+$/, `.${"A".repeat(43)}`);
    for (const token of ["nonsense", `${real}x`, wrong, "a.b.c"]) {
      const problem = await refused("resumeRun", { params, ...ask(token) });
      expect(problem).toMatchObject({ status: 403, code: "token_invalid" });
      expect(JSON.stringify(problem)).not.toContain(token);
    }
  });

  test("of another run: mismatch, whether or not there is such a run", async () => {
    const { refused, host } = await running("wait");
    const token = host.tokens[0] ?? "";
    const runId = "run_00000000000070008000000000000000";
    expect(await refused("resumeRun", { params: { runId }, ...ask(token) })).toMatchObject({
      status: 403,
      code: "token_mismatch",
    });
  });

  test("for an unknown run: invalid", async () => {
    const { refused } = await running("wait");
    const runId = "run_00000000000070008000000000000000";
    const token = `rt_00000000000070008000000000000000.${runId.slice(4)}.${"A".repeat(43)}`;
    expect((await refused("resumeRun", { params: { runId }, ...ask(token) })).code).toBe(
      "token_invalid",
    );
  });

  test("used: consumed", async () => {
    const { ask: answered, refused, host, params } = await running("wait");
    const token = host.tokens[0] ?? "";
    await answered("resumeRun", { params, ...ask(token) });
    expect(await refused("resumeRun", { params, ...ask(token) })).toMatchObject({
      status: 409,
      code: "token_consumed",
    });
  });

  test("replaced: revoked, and the new one works", async () => {
    const { ask: answered, answer, refused, host, params, sessionId } = await running("wait");
    const old = host.tokens[0] ?? "";
    const { status, reply } = await answer("mintToken", { params });
    expect(status).toBe(201);
    expect(await refused("resumeRun", { params, ...ask(old) })).toMatchObject({
      status: 410,
      code: "token_revoked",
    });
    const journalled = JSON.stringify(await host.events(sessionId));
    expect(journalled).toContain(reply.tokenId);
    expect(journalled).not.toContain(reply.token.split(".")[2]);
    expect((await answered("resumeRun", { params, ...ask(reply.token) })).success).toBe(true);
  });

  test("too old: expired", async () => {
    const { ask: answered, refused, host, params } = await running("wait");
    const expiresAt = new Date(host.clock.now() + 1000).toISOString();
    const { token } = await answered("mintToken", { params, body: { expiresAt } });
    host.clock.advance(2000);
    expect(await refused("resumeRun", { params, ...ask(token) })).toMatchObject({
      status: 410,
      code: "token_expired",
    });
  });

  test("a run that does not wait has no token", async () => {
    const { refused, params } = await running("stall");
    expect((await refused("mintToken", { params })).code).toBe("not_waiting");
  });
});

describe("retrying", () => {
  test("starts a new run that names the old one, from the start or from the error", async () => {
    for (const from of ["start", "error"] as const) {
      const { answer, host, params, sessionId } = await running("fail");
      const { status, reply } = await answer("retryRun", { params, body: { from } });
      expect(status).toBe(202);
      expect(reply).toMatchObject({
        success: true,
        run: { continues: params.runId, status: "running" },
      });
      const started = await host.until(sessionId, "run.started", 2);
      expect(started).toMatchObject({ from, continues: params.runId });
    }
  });

  test("twice returns the run that the first retry started", async () => {
    const { ask, params } = await running("fail");
    const first = await ask("retryRun", { params, body: { from: "error" } });
    const second = await ask("retryRun", { params, body: { from: "error" } });
    expect(second).toMatchObject({ success: false, run: { id: first.run.id } });
  });

  test("is refused for a completed or open run", async () => {
    const completed = await running("go");
    expect((await completed.refused("retryRun", { params: completed.params })).code).toBe(
      "not_open",
    );
    const open = await running("stall");
    expect((await open.refused("retryRun", { params: open.params })).code).toBe("already_running");
  });
});

describe("dismissing", () => {
  test("removes a failed run from those that need a person", async () => {
    const { ask, host } = await testApp({ script: () => [failed("broken", "It broke.")] });
    const body = { agent: "demo", message: "go" };
    const { session, run } = await ask("createSession", { body });
    await host.until(session.id as SessionId, "run.failed");
    const params = { runId: run?.id ?? "" };
    await ask("dismissRun", { params });
    const { sessions, needs } = await ask("listSessions");
    expect(sessions).toMatchObject([{ word: "dismissed", need: null }]);
    expect(needs.failed).toBe(0);
  });

  test("leaves interrupted work as it is, and clears its status", async () => {
    const { host, params, sessionId } = await running("stall");
    const next = await testApp({ host: await host.crash() });
    const before = await next.ask("getSession", { params: { sessionId } });
    expect(before.session.status).toBe("interrupted_startup");
    expect((await next.ask("dismissRun", { params })).run.status).toBe("interrupted");
    const after = await next.ask("getSession", { params: { sessionId } });
    expect(after.session).toMatchObject({ status: "idle", recovery: { interruption: null } });
  });

  test("is refused for a completed run", async () => {
    const { refused, params } = await running("go");
    expect((await refused("dismissRun", { params })).code).toBe("not_interrupted");
  });
});
