import type { SessionId } from "@holdfast/protocol";
import { MAX_CONTENT } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import { done, type Script, scriptedAgent, text } from "../../testing/scripted-agent.ts";
import { testHost } from "../../testing/test-host.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";

const stalled: Script = () => [text("working"), { type: "stall" }];
const quick: Script = ({ content }) => [text(`did ${content.slice(0, 20)}`), done()];

async function session(test: TestApp): Promise<SessionId> {
  const { session } = await test.ask("createSession", { body: { agent: "demo" } });
  return session.id as SessionId;
}

describe("sending a message", () => {
  test("[R003-1] saves it and starts a run, and answers at once", async () => {
    const app = await testApp({ script: stalled });
    const sessionId = await session(app);
    const { status, reply } = await app.answer("sendMessage", {
      params: { sessionId },
      body: { content: "Do it" },
    });
    expect(status).toBe(202);
    expect(reply).toMatchObject({
      run: { sessionId, status: "running" },
      queued: null,
      session: { id: sessionId, status: "running" },
    });
    const events = await app.host.events(sessionId);
    const sent = events.find(({ kind }) => kind === "message.user");
    expect(sent).toMatchObject({ content: "Do it", seq: reply.seq });
  });

  test("during a run is queued, and the answer gives its place in the queue", async () => {
    const app = await testApp({ script: stalled });
    const sessionId = await session(app);
    await app.ask("sendMessage", { params: { sessionId }, body: { content: "one" } });
    const reply = await app.ask("sendMessage", {
      params: { sessionId },
      body: { content: "two", clientId: "c2" },
    });
    expect(reply).toMatchObject({ run: null, queued: { content: "two", clientId: "c2" } });
    expect(reply.session).toMatchObject({ status: "running", queued: 1 });
  });

  test("that interrupts cancels the run and is sent first", async () => {
    const script: Script = (prompt) => (prompt.content === "one" ? stalled(prompt) : quick(prompt));
    const app = await testApp({ script });
    const sessionId = await session(app);
    await app.ask("sendMessage", { params: { sessionId }, body: { content: "one" } });
    await app.host.until(sessionId, "attempt.accepted");
    const reply = await app.ask("sendMessage", {
      params: { sessionId },
      body: { content: "now", whenBusy: "interrupt" },
    });
    expect(reply.queued).toMatchObject({ content: "now", urgent: true });
    await app.host.until(sessionId, "run.completed");
    const { runs } = await app.ask("listRuns", { params: { sessionId } });
    expect(runs.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  });

  test("is recorded with its sender, who gets the tokens of its run", async () => {
    const told: [string, string][] = [];
    const runCreated = (id: string, { name }: { name: string }) => told.push([id, name]);
    const app = await testApp({ script: stalled, deps: { runCreated } });
    const sessionId = await session(app);
    const send = (content: string) =>
      app.ask("sendMessage", { params: { sessionId }, body: { content, clientId: content } });
    const { run } = await send("one");
    const { queued } = await send("two");
    await send("one");
    expect(told).toEqual([
      [run?.messageId, "local"],
      [queued?.id, "local"],
    ]);
  });

  test("to an ended session is refused with that reason", async () => {
    const app = await testApp();
    const sessionId = await session(app);
    await app.ask("endSession", { params: { sessionId } });
    const asked = { params: { sessionId }, body: { content: "Hello" } };
    expect(await app.refused("sendMessage", asked)).toMatchObject({
      status: 410,
      code: "session_ended",
    });
  });

  test("of any length reaches the agent whole; the journal keeps its beginning", async () => {
    const agent = scriptedAgent("demo", quick);
    const app = await testApp({ host: await testHost({ agents: [agent] }) });
    const sessionId = await session(app);
    const inline = "é".repeat(MAX_CONTENT / 2);
    const long = `${"x".repeat(4095)}😀${"y".repeat(MAX_CONTENT)}`;
    for (const [i, content] of [inline, `${inline}é`, long].entries()) {
      const { run } = await app.ask("sendMessage", { params: { sessionId }, body: { content } });
      await app.host.until(sessionId, "run.completed", i + 1);
      expect(agent.prompts.at(-1)).toMatchObject({ runId: run?.id, content });
    }
    const { messages } = await app.ask("getTranscript", { params: { sessionId } });
    const parts = messages.filter(({ role }) => role === "user").map((m) => m.contentParts[0]);
    expect(parts[0]).toMatchObject({ type: "text", text: inline });
    const bytes = Buffer.byteLength(long);
    // 4095 characters, because the next one would be half of a surrogate pair.
    expect(parts[2]).toMatchObject({ text: "x".repeat(4095), blob: { bytes } });
  });
});

describe("sending a message again under the same client id", () => {
  const again = (app: TestApp, sessionId: string, clientId: string, content = "Do it") =>
    app.ask("sendMessage", { params: { sessionId }, body: { content, clientId } });

  test("returns the first result, with the run's current state", async () => {
    const app = await testApp({ script: quick });
    const sessionId = await session(app);
    const first = await again(app, sessionId, "c1");
    await app.host.until(sessionId, "run.completed");
    const second = await again(app, sessionId, "c1");
    expect(second).toMatchObject({
      run: { id: first.run?.id, status: "completed", contentParts: [{ text: "did Do it" }] },
      queued: null,
      seq: first.seq,
    });
    const events = await app.host.events(sessionId);
    expect(events.filter(({ kind }) => kind === "message.user")).toHaveLength(1);
  });

  test("with another content is refused, because it would be lost silently", async () => {
    const app = await testApp({ script: quick });
    const sessionId = await session(app);
    await again(app, sessionId, "c1");
    await app.host.until(sessionId, "run.completed");
    const refused = await app.refused("sendMessage", {
      params: { sessionId },
      body: { content: "something else", clientId: "c1" },
    });
    expect(refused).toMatchObject({ status: 409, code: "client_id_used" });
  });

  test("returns the queue's entry while the message waits, also by its Idempotency-Key alone", async () => {
    const app = await testApp({ script: stalled });
    const sessionId = await session(app);
    await again(app, sessionId, "c1");
    const send = () =>
      app.ask("sendMessage", { params: { sessionId }, body: { content: "two" }, key: "k2" });
    const [first, second] = [await send(), await send()];
    expect(second).toMatchObject({ run: null, queued: { id: first.queued?.id }, seq: first.seq });
    expect(second.session.queued).toBe(1);
  });

  test("returns the first result also for many concurrent requests, and after the session ended", async () => {
    const app = await testApp({ script: quick });
    const sessionId = await session(app);
    const replies = await Promise.all(Array.from({ length: 8 }, () => again(app, sessionId, "c1")));
    expect(new Set(replies.map(({ run }) => run?.id)).size).toBe(1);
    await app.host.until(sessionId, "run.completed");
    await app.ask("endSession", { params: { sessionId } });
    const late = await again(app, sessionId, "c1");
    expect(late.run?.id).toBe(replies[0]?.run?.id);
    expect(late.session.lifecycle).toBe("ended");
  });

  test("returns the first result from the store when the state no longer has it", async () => {
    const app = await testApp({ script: quick });
    const sessionId = await session(app);
    const first = await again(app, sessionId, "c0");
    for (let n = 1; n <= 65; n++) {
      await app.host.until(sessionId, "run.completed", n);
      await again(app, sessionId, `c${n}`);
    }
    const { clients } = await app.host.sessions.state(sessionId);
    expect(clients.some(({ clientId }) => clientId === "c0")).toBe(false);
    expect(await again(app, sessionId, "c0")).toMatchObject({
      run: { id: first.run?.id },
      seq: first.seq,
    });
  });
});
