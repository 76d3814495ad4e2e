import { type SessionId, transcriptOf } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { done, failed, type Script, text, tool } from "../../testing/scripted-agent.ts";
import { testApp } from "../testing/test-app.ts";

const script: Script = ({ content }) =>
  content === "fail"
    ? [text("half"), failed("content_policy", "Not that")]
    : [text("Hello"), ...tool("t1", "bash", { cmd: "ls" }, "a b"), done()];

async function told(...messages: string[]) {
  const app = await testApp({ script });
  const { session } = await app.ask("createSession", { body: { agent: "demo" } });
  const sessionId = session.id as SessionId;
  const params = { sessionId };
  let done = 0;
  for (const content of messages) {
    await app.ask("sendMessage", { params, body: { content } });
    await (content === "fail"
      ? app.host.until(sessionId, "run.failed")
      : app.host.until(sessionId, "run.completed", ++done));
  }
  return { ...app, sessionId, params };
}

describe("a session's history", () => {
  test("is read in pages, as it was journalled", async () => {
    const { ask, host, sessionId, params } = await told("one", "two");
    const events = await host.events(sessionId);
    const read: unknown[] = [];
    for (let after = 0; ; ) {
      const page = await ask("listEvents", { params, query: { after, limit: 3 } });
      expect(page.lastSeq).toBe(events.length);
      if (page.events.length === 0) break;
      read.push(...page.events);
      after = read.length;
    }
    expect(read).toEqual(events);
  });

  test("fills the requested page, or says where to continue", async () => {
    // Each text is one event of 16 KB, so that the run exceeds one slice of the journal.
    const words = Array.from({ length: 40 }, () => text("x".repeat(16_384)));
    const long: Script = ({ content }) => [...words.slice(0, Number(content)), done()];
    const { ask, host } = await testApp({ script: long });
    const ids = ["20", "40"].map(async (message) => {
      const { session } = await ask("createSession", { body: { agent: "demo", message } });
      const id = session.id as SessionId;
      await host.until(id, "run.completed");
      return id;
    });
    const [short = "", whole = ""] = await Promise.all(ids);
    for (const sessionId of [short, whole]) {
      const page = await ask("listEvents", { params: { sessionId }, query: { limit: 1000 } });
      expect([page.events.length, page.next]).toEqual([page.lastSeq, null]);
    }
    const some = await ask("listEvents", { params: { sessionId: whole }, query: { limit: 3 } });
    expect(some).toMatchObject({ events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }], next: 3 });
    const rest = { after: some.next ?? 0, limit: 1000 };
    const last = await ask("listEvents", { params: { sessionId: whole }, query: rest });
    expect(last.events.length).toBe(last.lastSeq - 3);
  });

  test("refuses a seq beyond the journal's head", async () => {
    const { refused, params } = await told("one");
    const problem = await refused("listEvents", { params, query: { after: 10_000 } });
    expect(problem).toMatchObject({ status: 400, code: "cursor_ahead" });
  });

  test("is read as state and messages at one seq, from the start or from its end", async () => {
    const { ask, host, sessionId, params } = await told("one", "two");
    const whole = await ask("getTranscript", { params });
    const events = await host.events(sessionId);
    expect(whole.seq).toBe(events.length);
    expect(whole.messages).toEqual(transcriptOf(events).messages);
    expect(whole.state).toEqual(await host.sessions.state(sessionId));
    expect(whole.session).toEqual((await ask("getSession", { params })).session);
    expect(whole.earlier).toBe(0);
    const tail = await ask("getTranscript", { params, query: { tail: 1 } });
    expect(tail.messages).toEqual(whole.messages.slice(-1));
    expect(tail.earlier).toBe(3);
    expect(tail.chain).toBe(whole.chain);
  });

  test("[R003-61] lists its runs, the latest first, each with its output", async () => {
    const { ask, params } = await told("one", "fail");
    const { runs } = await ask("listRuns", { params });
    expect(runs).toMatchObject([
      {
        status: "error",
        outcome: "failed",
        errorMessage: "Not that",
        contentParts: [{ type: "text", text: "half" }],
      },
      {
        status: "completed",
        outcome: "completed",
        errorMessage: null,
        contentParts: [
          { type: "text", text: "Hello" },
          { type: "tool", name: "bash", input: { cmd: "ls" }, status: "completed", output: "a b" },
        ],
      },
    ]);
    const latest = await ask("listRuns", { params, query: { limit: 1 } });
    expect(latest.runs.map(({ id }) => id)).toEqual([runs[0]?.id]);
  });

  test("has a receipt of each recovery", async () => {
    const { ask, host, sessionId, params } = await told("one");
    expect((await ask("listReceipts", { params })).receipts).toEqual([]);
    const receipt = { kept: ["all"], lost: [], maybeTwice: [], evidence: { head: "abc" } };
    await host.sessions.execute(sessionId, "receipt", { runId: null, rung: "native", ...receipt });
    expect((await ask("listReceipts", { params })).receipts).toMatchObject([
      { rung: "native", ...receipt },
    ]);
  });

  test("has the receipts since the first message that is shown", async () => {
    const { ask, host, sessionId, params } = await told("one");
    const issue = (evidence: Record<string, unknown>) => {
      const receipt = { runId: null, kept: [], lost: [], maybeTwice: [], evidence };
      return host.sessions.execute(sessionId, "receipt", { rung: "native", ...receipt });
    };
    await issue({ nth: 1 });
    await ask("sendMessage", { params, body: { content: "fail" } });
    await host.until(sessionId, "run.failed");
    await issue({ nth: 2 });
    const shown = async (query: { tail?: number }) =>
      (await ask("getTranscript", { params, query })).receipts.map(({ evidence }) => evidence);
    expect(await shown({})).toEqual([{ nth: 1 }, { nth: 2 }]);
    expect(await shown({ tail: 4 })).toEqual([{ nth: 1 }, { nth: 2 }]);
    expect(await shown({ tail: 2 })).toEqual([{ nth: 2 }]);
  });
});
