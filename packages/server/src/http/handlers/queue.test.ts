import type { SessionId } from "@holdfast/protocol";
import { MAX_CONTENT } from "@holdfast/protocol/schemas";
import { expect, test } from "vitest";
import { done, failed, type Script, text } from "../../testing/scripted-agent.ts";
import { testApp } from "../testing/test-app.ts";

const UNKNOWN = "msg_00000000000070008000000000000000";

/** A session with a run that fails when released, and two queued messages. */
async function waiting() {
  const gate = Promise.withResolvers<void>();
  const script: Script = ({ content }) =>
    content === "first"
      ? [{ type: "stall", until: gate.promise }, failed("content_policy", "No")]
      : [text(content), done()];
  const app = await testApp({ script });
  const { session } = await app.ask("createSession", { body: { agent: "demo", message: "first" } });
  const sessionId = session.id as SessionId;
  const params = { sessionId };
  for (const content of ["a", "b"]) await app.ask("sendMessage", { params, body: { content } });
  const { queue } = await app.ask("getQueue", { params });
  const [a, b] = queue.map(({ id }) => id) as [string, string];
  return { ...app, sessionId, params, a, b, fail: gate.resolve };
}

test("queued messages can be listed, changed and withdrawn, in order", async () => {
  const { ask, params, a, b } = await waiting();
  const contents = async () => (await ask("getQueue", { params })).queue.map((q) => q.content);
  expect(await contents()).toEqual(["a", "b"]);
  const edited = await ask("editQueued", {
    params: { ...params, messageId: b },
    body: { content: "b, please" },
  });
  expect(edited.queue.map(({ id, content }) => [id, content])).toEqual([
    [a, "a"],
    [b, "b, please"],
  ]);
  const left = await ask("removeQueued", { params: { ...params, messageId: a } });
  expect(left.queue.map(({ id }) => id)).toEqual([b]);
});

test("a queued message may become longer than an event", async () => {
  const { ask, params, a } = await waiting();
  const content = "y".repeat(MAX_CONTENT + 1);
  const { queue } = await ask("editQueued", {
    params: { ...params, messageId: a },
    body: { content },
  });
  expect(queue[0]).toMatchObject({ blob: { bytes: content.length } });
  expect(queue[0]?.content).toHaveLength(4096);
});

test("a message that is not queued cannot be changed", async () => {
  const { refused, params } = await waiting();
  for (const messageId of [UNKNOWN, "nonsense"]) {
    const at = { ...params, messageId };
    const edit = await refused("editQueued", { params: at, body: { content: "x" } });
    const remove = await refused("removeQueued", { params: at });
    const expected = messageId === UNKNOWN ? "message_not_found" : "bad_input";
    expect([edit.code, remove.code]).toEqual([expected, expected]);
  }
});

test("a parked queue continues when a person asks for it", async () => {
  const { ask, answer, refused, host, sessionId, params, fail, a } = await waiting();
  expect((await refused("releaseQueue", { params })).code).toBe("already_running");
  fail();
  await host.until(sessionId, "run.failed");
  const { status, reply } = await answer("releaseQueue", { params });
  expect(status).toBe(202);
  expect(reply.run).toMatchObject({ messageId: a, status: "running" });
  await host.until(sessionId, "run.completed", 2);
  expect((await ask("getQueue", { params })).queue).toEqual([]);
  expect((await ask("releaseQueue", { params })).run).toBeNull();
});
