import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import { SESSION_BYTES } from "../../journal/blobs.ts";
import { done, type Script, scriptedAgent } from "../../testing/scripted-agent.ts";
import { testHost } from "../../testing/test-host.ts";
import { testApp } from "../testing/test-app.ts";
import { openApi } from "./openapi.ts";

const long = "<script>alert(1)</script>\u001b[31m ü\n".repeat(20_000);
const printing: Script = () => [
  { type: "tool_started", toolCallId: "t1", name: "bash", input: {}, gated: false },
  { type: "tool_finished", toolCallId: "t1", status: "completed", output: long },
  done(),
];

/** Creates a session with a tool output that is larger than an event. */
async function spoken() {
  const test = await testApp({ script: printing });
  const body = { agent: "demo", message: "go" };
  const sessionId = (await test.ask("createSession", { body })).session.id as SessionId;
  const { blob } = await test.host.until(sessionId, "tool.finished");
  await test.host.until(sessionId, "run.completed");
  return { ...test, sessionId, hash: blob?.hash ?? "" };
}

describe("a blob", () => {
  test("is sent whole, as bytes that a browser does not render [P41]", async () => {
    const { send, sessionId, hash } = await spoken();
    const response = await send("getBlob", { params: { sessionId, hash } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-length": String(Buffer.byteLength(long)),
      "content-disposition": `attachment; filename="${hash}"`,
      "content-security-policy": expect.stringContaining("sandbox"),
      "x-content-type-options": "nosniff",
    });
    expect(await response.text()).toBe(long);
  });

  test("is found by the hash in the transcript, and described by a HEAD", async () => {
    const { ask, app, sessionId, hash } = await spoken();
    const { messages } = await ask("getTranscript", { params: { sessionId } });
    expect(messages.at(-1)?.contentParts).toMatchObject([{ outputBlob: { hash } }]);
    const path = `/api/sessions/${sessionId}/blobs/${hash}`;
    const headers = { authorization: "Bearer local" };
    const head = await app.request(path, { method: "HEAD", headers });
    expect([head.status, head.body]).toEqual([200, null]);
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(long)));
  });

  test("that does not exist is not found, whatever its name contains", async () => {
    const { refused, host, sessionId, hash } = await spoken();
    const words = await refused("getBlob", { params: { sessionId, hash: "0".repeat(64) } });
    expect(words).toMatchObject({ status: 404, code: "not_found" });
    const others = [hash.toUpperCase(), `${hash}0`, "../../token", "x".repeat(4096), "%00"];
    for (const name of [...others, `${hash}\r\nx: y`, "__proto__", "left-out"]) {
      expect(await refused("getBlob", { params: { sessionId, hash: name } })).toEqual(words);
    }
    // A blob of another session, requested under this session's id.
    const body = { agent: "demo" };
    const { session } = await (await testApp({ host })).ask("createSession", { body });
    expect(await refused("getBlob", { params: { sessionId: session.id, hash } })).toEqual(words);
  });

  test("[P37] of another tenant is not found, like its session", async () => {
    const { refused, sessionId, hash } = await spoken();
    const theirs = await refused("getBlob", { as: "other", params: { sessionId, hash } });
    const nobodys = await refused("getBlob", {
      as: "other",
      params: { sessionId: "sess_00000000000070008000000000000000", hash },
    });
    expect(theirs).toMatchObject({ status: 404, code: "session_not_found" });
    expect(theirs).toEqual(nobodys);
  });

  test("is described in OpenAPI, and needs the read scope only", async () => {
    const { paths } = openApi("1") as unknown as { paths: Record<string, Record<string, object>> };
    expect(paths["/api/sessions/{sessionId}/blobs/{hash}"]?.get).toMatchObject({
      "x-scope": "read",
      responses: { 200: { content: { "application/octet-stream": {} } } },
    });
    expect(routes.getBlob.access).toBe("read");
  });
});

describe("[P34] a session whose blob room is used up", () => {
  /** A session whose blob room is used up except for `left` bytes, simulated by a sparse file. */
  async function nearlyFull(left: number) {
    const data = mkdtempSync(join(tmpdir(), "holdfast-test-"));
    const host = await testHost({ data, agents: [scriptedAgent("demo", printing)] });
    const test = await testApp({ host });
    const body = { agent: "demo" };
    const sessionId = (await test.ask("createSession", { body })).session.id as SessionId;
    const folder = join(data, "blobs", sessionId);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "0".repeat(64)), "");
    truncateSync(join(folder, "0".repeat(64)), SESSION_BYTES - left);
    return { ...test, sessionId, params: { sessionId } };
  }

  test("continues with previews, says so, and answers requests for dropped output", async () => {
    for (const left of [Buffer.byteLength(long) - 1, 0]) {
      const { ask, refused, host, sessionId, params } = await nearlyFull(left);
      expect((await ask("getStatus", { params })).notice).toBeNull();
      await ask("sendMessage", { params, body: { content: "go" } });
      const { blob, output } = await host.until(sessionId, "tool.finished");
      expect(output).toContain("more characters");
      await host.until(sessionId, "run.completed");
      const problem = await refused("getBlob", { params: { sessionId, hash: blob?.hash ?? "" } });
      expect(problem).toMatchObject({ status: 404, detail: expect.stringContaining("truncated") });
      expect((await ask("getStatus", { params })).notice).toMatchObject({ code: "output_limit" });
    }
    const { ask, send, host, sessionId, params } = await nearlyFull(Buffer.byteLength(long));
    await ask("sendMessage", { params, body: { content: "go" } });
    const { blob } = await host.until(sessionId, "tool.finished");
    const kept = await send("getBlob", { params: { sessionId, hash: blob?.hash ?? "" } });
    expect(await kept.text()).toBe(long);
    expect((await ask("getStatus", { params })).notice).toBeNull();
  });

  test("refuses a message that it could not keep whole; other sessions are not affected", async () => {
    const { ask, refused, host, sessionId, params } = await nearlyFull(1000);
    const content = "x".repeat(200_000);
    const problem = await refused("sendMessage", { params, body: { content } });
    expect(problem).toMatchObject({ status: 429, code: "limit_reached" });
    expect((await host.sessions.state(sessionId)).seq).toBe(1);
    const next = await ask("createSession", { body: { agent: "demo", message: content } });
    expect(next.run).not.toBeNull();
    await ask("sendMessage", { params, body: { content: "short" } });
  });
});
