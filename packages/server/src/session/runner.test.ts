import { type Event, HostError, type SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import type { Agent } from "../agents/agent.ts";
import { bareAgent } from "../testing/bare-agent.ts";
import { fillDisk } from "../testing/full-disk.ts";
import {
  done,
  failed,
  type Script,
  scriptedAgent,
  text,
  thinking,
  tool,
} from "../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";

async function start(script: Script, policy: Record<string, number> = {}) {
  const agent = scriptedAgent("demo", script);
  const host = await testHost({ agents: [agent], policy });
  const id = await host.newSession();
  return { agent, host, id };
}

async function startBare(agent: Agent) {
  const host = await testHost({ agents: [agent], policy: { sweep: 24 * 3600_000 } });
  const id = await host.newSession();
  return { host, id };
}

/** An agent whose process cannot be killed. */
const never = () => ({ kill: () => new Promise<void>(() => undefined) });
const codes = (host: TestHost) => host.errors.map((error) => (error as HostError).code);
const kinds = (events: readonly Event[]) => events.map(({ kind }) => kind);
const send = (host: TestHost, id: SessionId, content = "do it") =>
  host.sessions.execute(id, "prompt", { content });

async function answer(host: TestHost, id: SessionId) {
  const { transcript } = await host.sessions.open(id);
  return transcript.messages.findLast((message) => message.role === "assistant");
}

describe("a run", () => {
  test("[R003-34] [R003-36] text, thinking, tools and usage are journalled as they come, each durable", async () => {
    const { host, id } = await start(() => [
      thinking("hm"),
      text("I will "),
      text("look."),
      ...tool("t1", "read", { path: "a" }, "contents"),
      { type: "usage", inputTokens: 10, outputTokens: 3 },
      text("Done."),
      done(),
    ]);
    await send(host, id);
    await host.until(id, "run.completed");
    const said = kinds(await host.events(id)).filter((kind) => kind !== "status.derived");
    expect(said.slice(4)).toEqual([
      "agent.ready",
      "attempt.accepted",
      "thinking.appended",
      "text.appended",
      "tool.started",
      "tool.finished",
      "usage.reported",
      "text.appended",
      "run.completed",
    ]);
    const message = await answer(host, id);
    expect(message).toMatchObject({ status: "completed", errorMessage: null });
    expect(message?.contentParts.map((part) => part.type)).toEqual([
      "thinking",
      "text",
      "tool",
      "text",
    ]);
    expect((await host.sessions.state(id)).run).toMatchObject({ inputTokens: 10, outputTokens: 3 });
  });

  test("[R003-35] [R003-37] open text is written within 50 ms, not only when something else comes", async () => {
    const { host, id } = await start(() => [text("half a sen"), { type: "stall" }]);
    await send(host, id);
    await host.until(id, "attempt.accepted");
    await host.journal.whenReady();
    const written = host.until(id, "text.appended");
    await tick();
    host.clock.advance(50);
    expect((await written).text).toBe("half a sen");
    await host.close();
  });

  test("[F42] a 2 MB tool result is a preview and a blob, and replays whole", async () => {
    const big = "é".repeat(1024 * 1024);
    const { host, id } = await start(() => [...tool("t1", "cat", { path: "big" }, big), done()]);
    await send(host, id);
    await host.until(id, "run.completed");
    const event = await host.until(id, "tool.finished");
    expect(event.output.length).toBeLessThan(5000);
    const blob = await host.blobs.get(id, event.blob?.hash ?? "");
    expect(Buffer.from(blob).toString()).toBe(big);
    await send(host, id, "again");
    await host.until(id, "run.completed", 2);
    expect((await answer(host, id))?.status).toBe("completed");
  });

  test("calls that come while a commit is in flight go with the next one", async () => {
    const said = Promise.withResolvers<void>();
    const { host, id } = await start(async function* () {
      for (let n = 0; n < 100; n++) yield* tool(`t${n}`, "read", {}, "ok");
      said.resolve();
      yield done();
    });
    const append = host.journal.append.bind(host.journal);
    let commits = 0;
    host.journal.append = async (batch) => {
      if (!batch.text.includes('"tool.')) return append(batch);
      commits++;
      await said.promise;
      return append(batch);
    };
    await send(host, id);
    await host.until(id, "run.completed");
    expect(commits).toBeLessThanOrEqual(2);
  });

  test("a long prompt goes as a preview and a blob, and the agent gets all of it", async () => {
    const { agent, host, id } = await start(() => [done()]);
    const all = "line\n".repeat(100_000);
    const blob = await host.blobs.put(id, Buffer.from(all));
    await host.sessions.execute(id, "prompt", { content: "line …", blob });
    await host.until(id, "run.completed");
    expect(agent.prompts[0]?.content).toBe(all);
  });

  test("an agent that is not installed fails the run with a reason", async () => {
    const host = await testHost();
    const id = await host.newSession({ agentName: "nobody" });
    await send(host, id);
    const event = await host.until(id, "run.failed");
    expect(event.error).toMatchObject({ code: "agent_missing" });
  });

  test("an agent whose process vanishes is interrupted, not failed", async () => {
    const { host, id } = await start(() => [text("so far"), { type: "die" }]);
    await send(host, id);
    expect(await host.until(id, "run.interrupted")).toMatchObject({ reason: "process_exit" });
    expect(await answer(host, id)).toMatchObject({
      status: "interrupted",
      contentParts: [{ type: "text", text: "so far" }],
    });
  });
});

describe("errors", () => {
  test("[R003-5] [R003-15] a failure keeps all text so far and says why", async () => {
    const { host, id } = await start(() => [text("partial"), failed("bad_request", "no", 400)]);
    await send(host, id);
    await host.until(id, "run.failed");
    expect(await answer(host, id)).toMatchObject({
      status: "error",
      errorMessage: "no",
      contentParts: [{ type: "text", text: "partial" }],
    });
  });

  test("[R003-45] transient errors are retried twice, later each time, as attempts of the same run", async () => {
    const { agent, host, id } = await start(({ attempt }) =>
      attempt < 3 ? [failed("overloaded", "busy", 529)] : [text("ok"), done()],
    );
    await send(host, id);
    await host.until(id, "attempt.failed");
    await quiet(host);
    expect(agent.prompts).toHaveLength(1);
    host.clock.advance(1000);
    await host.until(id, "attempt.failed", 2);
    await quiet(host);
    host.clock.advance(2000);
    await host.until(id, "run.completed");
    expect(agent.prompts.map(({ key }) => key.slice(-2))).toEqual(["/1", "/2", "/3"]);
    expect(new Set(agent.prompts.map(({ runId }) => runId)).size).toBe(1);
  });

  test("a retry whose delay was running when the host died starts at once in the next boot", async () => {
    const { agent, host, id } = await start(({ attempt }) =>
      attempt === 1 ? [failed("overloaded", "busy", 529)] : [done()],
    );
    await send(host, id);
    await host.until(id, "attempt.started", 2);
    const next = await host.crash();
    await next.until(id, "run.completed");
    expect(agent.prompts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  test("[R003-47] when retries are used up the run fails with its partial text", async () => {
    const { agent, host, id } = await start(({ attempt }) => [
      text(`try ${attempt} `),
      failed("rate_limit", "slow down", 429),
    ]);
    await send(host, id);
    for (const n of [1, 2]) {
      await host.until(id, "attempt.failed", n);
      await quiet(host);
      host.clock.advance(10_000);
    }
    const event = await host.until(id, "run.failed");
    expect(event.error).toMatchObject({ code: "rate_limit", transient: true });
    expect(agent.prompts).toHaveLength(3);
    const said = (await answer(host, id))?.contentParts.filter((part) => part.type === "text");
    expect(said?.map((part) => "text" in part && part.text)).toEqual([
      "try 1 ",
      "try 2 ",
      "try 3 ",
    ]);
  });

  test("[R003-46] content policy and other 4xx are not retried", async () => {
    for (const error of [failed("content_policy", "no"), failed("bad_request", "no", 422)]) {
      const { agent, host, id } = await start(() => [error]);
      await send(host, id);
      await host.until(id, "run.failed");
      expect(agent.prompts).toHaveLength(1);
    }
  });

  test("a transient error after a tool ran is not retried: it could run twice", async () => {
    const { agent, host, id } = await start(() => [
      ...tool("t1", "deploy", {}, "ok"),
      failed("timeout", "late", 504),
    ]);
    await send(host, id);
    await host.until(id, "run.failed");
    expect(agent.prompts).toHaveLength(1);
  });

  test("[F21] no event at all for five real minutes is a failed launch, and is tried again", async () => {
    const { agent, host, id } = await start(({ attempt }) =>
      attempt === 1 ? [{ type: "stall" }] : [done()],
    );
    await send(host, id);
    await host.until(id, "attempt.accepted");
    host.clock.step(24 * 3600_000);
    await host.sweep();
    expect(agent.prompts).toHaveLength(1);
    host.clock.advance(5 * 60_000);
    await host.sweep();
    await host.until(id, "attempt.failed");
    await quiet(host);
    host.clock.advance(5000);
    await host.until(id, "run.completed");
    expect(agent.prompts).toHaveLength(2);
  });

  test("[F21] silence after some output is a notice, never a failure", async () => {
    const { host, id } = await start(() => [text("compiling"), { type: "stall" }]);
    await send(host, id);
    await host.until(id, "attempt.accepted");
    await tick();
    host.clock.advance(50);
    await host.until(id, "text.appended");
    host.clock.advance(6 * 60_000);
    await host.sweep();
    await host.until(id, "run.silent");
    expect((await host.sessions.state(id)).run).toMatchObject({ outcome: null });
    await host.close();
  });
});

describe("cancel", () => {
  test("[R003-10] partial content up to the cancel is kept with status cancelled", async () => {
    const { host, id } = await start(() => [text("working"), { type: "stall" }]);
    const { state } = await send(host, id);
    const runId = state.run?.id ?? "";
    await host.until(id, "attempt.accepted");
    await host.sessions.execute(id, "cancel", { runId });
    await host.until(id, "run.cancelled");
    expect(await answer(host, id)).toMatchObject({
      status: "cancelled",
      contentParts: [{ type: "text", text: "working" }],
    });
  });

  test("an agent that does not obey is killed after five seconds, and then it is cancelled", async () => {
    const { host, id } = await start(() => [text("x"), { type: "stall", deaf: true }]);
    const { state } = await send(host, id);
    await host.until(id, "attempt.accepted");
    await host.sessions.execute(id, "cancel", { runId: state.run?.id ?? "" });
    await quiet(host);
    expect((await host.sessions.state(id)).run?.outcome).toBeNull();
    host.clock.advance(5000);
    await host.until(id, "run.cancelled");
  });

  test("[F15] a cancel that lands before the launch wins: no process starts", async () => {
    const { agent, host, id } = await start(() => [done()]);
    await host.runner.stop();
    const { state } = await send(host, id);
    await host.sessions.execute(id, "cancel", { runId: state.run?.id ?? "" });
    const next = await host.crash();
    await next.until(id, "run.cancelled");
    expect(agent.prompts).toHaveLength(0);
  });

  test("first cancel wins; later ones are harmless", async () => {
    const { host, id } = await start(() => [{ type: "stall" }]);
    const { state } = await send(host, id);
    const runId = state.run?.id ?? "";
    await Promise.all(
      ["ann", "bob", "eve"].map((by) => host.sessions.execute(id, "cancel", { runId, by })),
    );
    expect(await host.until(id, "run.cancelled")).toMatchObject({ reason: "ann" });
    const asked = (await host.events(id)).filter(({ kind }) => kind === "run.cancel_requested");
    expect(asked).toHaveLength(1);
  });
});

describe("approvals", () => {
  const asking: Script = () => [
    { type: "tool_started", toolCallId: "t1", name: "bash", input: { cmd: "rm x" }, gated: false },
    {
      type: "ask",
      toolCallId: "t1",
      toolName: "bash",
      input: { cmd: "rm x" },
      allowed: [{ type: "tool_finished", toolCallId: "t1", status: "completed", output: "gone" }],
      denied: [{ type: "tool_finished", toolCallId: "t1", status: "denied", output: "" }],
    },
    text("after"),
    done(),
  ];

  test.each(["allow", "deny"] as const)(
    "%s reaches the agent through the journal",
    async (decision) => {
      const { host, id } = await start(asking);
      await send(host, id);
      const { approvalId, runId } = await host.until(id, "approval.requested");
      await host.until(id, "token.minted");
      expect(host.tokens).toHaveLength(1);
      await host.sessions.execute(id, "decide", { runId, approvalId, decision, by: "ann" });
      await host.until(id, "run.completed");
      const all = kinds(await host.events(id));
      expect(all.indexOf("approval.decided")).toBeLessThan(all.indexOf("approval.delivered"));
      const finished = await host.until(id, "tool.finished");
      expect(finished.status).toBe(decision === "allow" ? "completed" : "denied");
    },
  );

  test("allow always answers the same question by a rule of ours next time", async () => {
    const { host, id } = await start(asking);
    await send(host, id);
    const { approvalId, runId } = await host.until(id, "approval.requested");
    await host.sessions.execute(id, "decide", {
      runId,
      approvalId,
      by: "ann",
      decision: "allow_always",
    });
    await host.until(id, "run.completed");
    await send(host, id, "again");
    await host.until(id, "run.completed", 2);
    expect(await host.until(id, "approval.decided", 2)).toMatchObject({ by: "rule" });
  });

  test("an external wait goes on with the result that was posted", async () => {
    const deadlineAt = new Date(Date.parse("2026-01-01T01:00:00Z")).toISOString();
    const { host, id } = await start(() => [
      { type: "await", kind: "external", deadlineAt },
      text("got it"),
      done(),
    ]);
    await send(host, id);
    const { runId } = await host.until(id, "run.waiting");
    await host.sessions.execute(id, "resumeWait", { runId, by: "webhook", result: { ok: true } });
    await host.until(id, "run.completed");
  });
});

test("[R002-36] a message supersedes a run that waits for an outside result, and revokes its token", async () => {
  const deadlineAt = "2026-01-01T01:00:00.000Z";
  const { agent, host, id } = await start(({ content }) =>
    content === "wait" ? [{ type: "await", kind: "external", deadlineAt }, done()] : [done()],
  );
  await send(host, id, "wait");
  const { tokenId, runId } = await host.until(id, "token.minted");
  await send(host, id, "never mind");
  const { runId: next } = await host.until(id, "run.completed");
  expect(next).not.toBe(runId);
  expect(await host.until(id, "token.revoked")).toMatchObject({ tokenId, runId });
  expect(await host.until(id, "run.cancelled")).toMatchObject({ runId, reason: "superseded" });
  expect(agent.prompts.map(({ content }) => content)).toEqual(["wait", "never mind"]);
  const resume = host.sessions.execute(id, "resumeWait", { runId, by: "webhook" });
  await expect(resume).rejects.toMatchObject({ code: "run_not_found" });
});

describe("the queue", () => {
  test("[F25] three messages sent meanwhile are delivered once, in order", async () => {
    const gate = Promise.withResolvers<void>();
    const { agent, host, id } = await start(({ content }) =>
      content === "first" ? [{ type: "stall", until: gate.promise }, done()] : [done()],
    );
    await send(host, id, "first");
    for (const content of ["a", "b", "c"]) await send(host, id, content);
    gate.resolve();
    await host.until(id, "run.completed", 4);
    expect(agent.prompts.map(({ content }) => content)).toEqual(["first", "a", "b", "c"]);
  });

  test("interrupt cancels what runs and sends the message right after", async () => {
    const { agent, host, id } = await start(({ content }) =>
      content === "first" ? [{ type: "stall" }] : [done()],
    );
    await send(host, id, "first");
    await host.until(id, "attempt.accepted");
    await host.sessions.execute(id, "prompt", { content: "now this", whenBusy: "interrupt" });
    await host.until(id, "run.completed");
    expect(agent.prompts.map(({ content }) => content)).toEqual(["first", "now this"]);
  });
});

test("[F18] late output of an older launch is dropped", async () => {
  const gate = Promise.withResolvers<void>();
  const { host, id } = await start(({ attempt }) =>
    attempt === 1
      ? [{ type: "stall", until: gate.promise }, text("late"), done()]
      : [text("new"), { type: "stall" }],
  );
  const { state } = await send(host, id);
  const runId = state.run?.id ?? "";
  await host.until(id, "attempt.accepted");
  const error = { code: "timeout", message: "gone quiet" };
  await host.sessions.execute(id, "failAttempt", { runId, attempt: 1, error });
  gate.resolve();
  await quiet(host);
  const late = host.sessions.execute(id, "record", {
    runId,
    attempt: 1,
    output: [{ type: "text", text: "late" }],
  });
  await expect(late).rejects.toSatisfy((e) => e instanceof HostError && e.code === "late_event");
  expect(JSON.stringify(await host.events(id))).not.toContain('"late"');
  await host.close();
});

describe("what cannot be done now", () => {
  const asking: Script = ({ attempt }) =>
    attempt > 1
      ? [done()]
      : [{ type: "ask", toolCallId: "t", toolName: "n", input: {}, allowed: [], denied: [] }];

  test("on a full disk an answered run goes on once space is freed, without anyone asking", async () => {
    const { agent, host, id } = await start(asking);
    await send(host, id);
    const { approvalId, runId } = await host.until(id, "approval.requested");
    await host.until(id, "token.minted");
    const next = await host.crash();
    const free = fillDisk(next.journal, "attempt.started");
    await next.sessions.execute(id, "decide", { runId, approvalId, decision: "allow", by: "ann" });
    await quiet(next);
    next.clock.advance(1000);
    await quiet(next);
    expect(agent.prompts).toHaveLength(1);
    free();
    next.clock.advance(1000);
    await next.until(id, "run.completed");
    expect(agent.prompts).toHaveLength(2);
  });

  test("on a full disk a cancel reaches the agent although the delivery before it waits for space", async () => {
    const cancelled = Promise.withResolvers<void>();
    const agent = bareAgent(
      [{ type: "accepted" }, { type: "permission", toolCallId: "t", toolName: "n", input: {} }],
      (end) => ({
        cancel() {
          cancelled.resolve();
          end();
        },
      }),
    );
    const { host, id } = await startBare(agent);
    await send(host, id);
    const { approvalId, runId } = await host.until(id, "approval.requested");
    const free = fillDisk(host.journal, "approval.delivered");
    await host.sessions.execute(id, "decide", { runId, approvalId, decision: "allow", by: "ann" });
    await quiet(host);
    await host.sessions.execute(id, "cancel", { runId });
    await cancelled.promise;
    free();
    host.clock.advance(1000);
    await host.until(id, "run.cancelled");
  });

  test("on a full disk an agent is held back once a little waits for space, and is not called silent", async () => {
    let taken = 0;
    const agent = scriptedAgent("demo", async function* () {
      for (; ; taken++) {
        yield text("word ".repeat(10_000));
        await tick(3);
      }
    });
    const { host, id } = await startBare(agent);
    const free = fillDisk(host.journal, "text.appended");
    await send(host, id);
    await host.until(id, "attempt.accepted");
    for (let n = 0; n < 20; n++) {
      await tick(10);
      host.clock.advance(50);
    }
    const held = taken;
    await tick();
    expect(taken).toBe(held);
    host.clock.advance(10 * 60_000);
    await host.sweep();
    expect(kinds(await host.events(id))).not.toContain("attempt.failed");
    free();
    host.clock.advance(1000);
    await host.until(id, "text.appended");
    await host.close();
  });

  test("an empty piece of text does not keep what follows from being told in time", async () => {
    const [go, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const agent = scriptedAgent("demo", async function* () {
      yield text("");
      await go.promise;
      yield text("hello");
      await end.promise;
    });
    const { host, id } = await startBare(agent);
    await send(host, id);
    await host.until(id, "attempt.accepted");
    await tick(10);
    host.clock.advance(60);
    go.resolve();
    await tick(10);
    host.clock.advance(60);
    expect(await host.until(id, "text.appended")).toMatchObject({ text: "hello" });
    end.resolve();
  });

  test("a prompt whose blob is gone fails the run with the reason", async () => {
    const { agent, host, id } = await start(() => [done()]);
    const blob = { hash: "a".repeat(64), bytes: 3 };
    await host.sessions.execute(id, "prompt", { content: "line …", blob });
    const { error } = await host.until(id, "run.failed");
    expect(error).toMatchObject({ code: "session_damaged" });
    expect(agent.prompts).toHaveLength(0);
  });

  test("output that cannot be stored for an unknown reason fails the run as internal", async () => {
    const { host, id } = await start(() => tool("t1", "cat", {}, "x".repeat(50_000)));
    host.blobs.put = () => Promise.reject(new Error("EACCES"));
    await send(host, id);
    expect((await host.until(id, "run.failed")).error).toMatchObject({ code: "internal" });
    expect(host.errors).toMatchObject([{ message: "EACCES" }]);
  });

  test.each(["prompt", "cancel"] as const)(
    "an agent whose %s throws ends the run, and does not leave it running",
    async (part) => {
      const thrown = () => {
        throw new TypeError("a bug");
      };
      const agent = bareAgent([{ type: "accepted" }], () => ({ cancel: thrown }));
      if (part === "prompt") agent.prompt = thrown;
      const { host, id } = await startBare(agent);
      const { state } = await send(host, id);
      if (part === "prompt") {
        expect((await host.until(id, "run.failed")).error).toMatchObject({ code: "internal" });
      } else {
        await host.until(id, "attempt.accepted");
        await host.sessions.execute(id, "cancel", { runId: state.run?.id ?? "" });
        await host.until(id, "run.cancelled");
        await quiet(host);
        expect(host.runtimes.live).toBe(0);
      }
      expect(host.errors).toMatchObject([{ message: "a bug" }]);
    },
  );

  test("a refused append of the runner's own is tried again", async () => {
    const { host, id } = await start(asking);
    await send(host, id);
    const { approvalId, runId } = await host.until(id, "approval.requested");
    await host.until(id, "token.minted");
    const next = await host.crash();
    const append = next.journal.append.bind(next.journal);
    let refusals = 2;
    next.journal.append = (batch) =>
      batch.text.includes('"attempt.started"') && refusals-- > 0
        ? Promise.reject(new HostError("seq_conflict", "another was first"))
        : append(batch);
    await next.sessions.execute(id, "decide", { runId, approvalId, decision: "allow", by: "ann" });
    for (const ms of [1000, 2000]) {
      await quiet(next);
      next.clock.advance(ms);
    }
    await next.until(id, "run.completed");
    expect(codes(next)).toEqual(["seq_conflict", "seq_conflict"]);
  });
});

describe("a launch", () => {
  test.each(["cancel", "end"] as const)(
    "does not happen after an acknowledged %s, however long reading the prompt took",
    async (command) => {
      const { agent, host, id } = await start(() => [done()]);
      const gate = Promise.withResolvers<void>();
      const base = host.journal.base.bind(host.journal);
      host.journal.base = async (session) => {
        await gate.promise;
        return base(session);
      };
      const { state } = await send(host, id);
      await tick();
      if (command === "end") await host.sessions.execute(id, "end", { reason: "explicit" });
      else await host.sessions.execute(id, "cancel", { runId: state.run?.id ?? "" });
      gate.resolve();
      await host.until(id, "run.cancelled");
      await quiet(host);
      expect(agent.prompts).toHaveLength(0);
    },
  );

  test("goes the way that the journal says", async () => {
    const { agent, host, id } = await start(({ attempt }) =>
      attempt === 1
        ? [failed("overloaded", "busy")]
        : attempt === 2
          ? [
              text("half"),
              { type: "failed", error: { code: "overloaded", message: "busy" }, way: "rewind" },
            ]
          : [done()],
    );
    await send(host, id);
    for (const n of [1, 2]) {
      await host.until(id, "attempt.failed", n);
      await quiet(host);
      host.clock.advance(5000);
    }
    await host.until(id, "run.completed");
    const started = (await host.events(id)).flatMap((event) =>
      event.kind === "attempt.started" ? [event.way] : [],
    );
    expect(started).toEqual(["prompt", "prompt", "rewind"]);
    expect(agent.prompts.map(({ way }) => way)).toEqual(started);
  });

  test("that is given up is killed, and the next attempt starts when it is gone", async () => {
    const killed = Promise.withResolvers<() => void>();
    const agent = bareAgent([{ type: "accepted" }], (end) => ({
      kill: async () => killed.resolve(end),
    }));
    const { host, id } = await startBare(agent);
    await send(host, id);
    await host.until(id, "attempt.accepted");
    await tick();
    host.clock.advance(5 * 60_000);
    await host.sweep();
    await host.until(id, "attempt.failed");
    const end = await killed.promise;
    host.clock.advance(60_000);
    await quiet(host);
    expect(agent.launches).toBe(1);
    end();
    await quiet(host);
    host.clock.advance(60_000);
    await host.until(id, "attempt.accepted", 2);
    expect(agent.launches).toBe(2);
  });

  test("that is given up and cannot be killed fails all the same, and no agent starts beside it", async () => {
    const agent = bareAgent([{ type: "accepted" }], never);
    const { host, id } = await startBare(agent);
    await send(host, id);
    await host.until(id, "attempt.accepted");
    await tick();
    host.clock.advance(5 * 60_000);
    const sweeping = host.sweep();
    await tick();
    host.clock.advance(10_000);
    await sweeping;
    await host.until(id, "attempt.failed");
    host.clock.advance(60_000);
    await quiet(host);
    expect(agent.launches).toBe(1);
  });
});

test("a kill that never resolves does not hang a close", async () => {
  const agent = bareAgent([{ type: "accepted" }], never);
  const { host, id } = await startBare(agent);
  await send(host, id);
  await host.until(id, "attempt.accepted");
  const closing = host.close();
  await tick();
  host.clock.advance(10_000);
  await closing;
  expect(host.errors).toMatchObject([{ message: expect.stringContaining("did not end") }]);
});

test("a session that cannot be read when its turn is over is an error of its own, not of the process", async () => {
  const { host, id } = await start(() => [done()]);
  host.sessions.onDurable((_session, { events }) => {
    if (!events.some(({ kind }) => kind === "run.completed")) return;
    host.sessions.state = () => Promise.reject(new HostError("session_not_found", "removed"));
  });
  await send(host, id);
  await host.until(id, "run.completed");
  await tick();
  expect(new Set(codes(host))).toEqual(new Set(["session_not_found"]));
  expect(host.runtimes.live).toBe(0);
});

/** Runs everything that is ready; no timer is awaited. */
async function tick(times = 50): Promise<void> {
  for (let n = 0; n < times; n++) await new Promise((resolve) => setImmediate(resolve));
}

async function quiet(host: TestHost): Promise<void> {
  for (let seq = -1; ; ) {
    await tick();
    const now = (await host.journal.list({ limit: 10 })).sessions.reduce((n, s) => n + s.seq, 0);
    if (now === seq) return;
    seq = now;
  }
}
