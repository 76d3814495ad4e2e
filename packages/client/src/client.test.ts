import { afterEach, describe, expect, test } from "vitest";
import { quickTimers } from "../test/quick-timers.ts";
import { type Answer, type ScriptedHost, scriptedHost } from "../test/scripted-host.ts";
import { createClient } from "./client.ts";
import { ApiError, TransportError } from "./errors.ts";

let host: ScriptedHost | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

async function open(answer: Answer, timers = quickTimers()) {
  host = await scriptedHost(answer);
  return { host, client: createClient({ url: host.url, token: "secret", timers }), timers };
}

describe("a call", () => {
  test("uses the route's method, path and credential, and returns the reply", async () => {
    const { host, client } = await open((_, reply) =>
      reply.json(200, { sessions: [], cursor: null }),
    );
    const query = { q: "a b&c", status: undefined, limit: 5 };
    expect(await client.call("listSessions", { query })).toEqual({ sessions: [], cursor: null });
    expect(host.asked).toMatchObject([
      { method: "GET", path: "/api/sessions", headers: { authorization: "Bearer secret" } },
    ]);
    expect(String(host.asked[0]?.query)).toBe("q=a+b%26c&limit=5");
    expect(host.asked[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test("encodes path parameters, and refuses those that would change the route", async () => {
    const { host, client } = await open((_, reply) => reply.json(200, {}));
    await client.call("getSession", { params: { sessionId: "a/../b?c#d" } });
    expect(host.asked[0]?.path).toBe("/api/sessions/a%2F..%2Fb%3Fc%23d");
    for (const sessionId of ["", ".", ".."]) {
      await expect(client.call("getSession", { params: { sessionId } })).rejects.toThrow(TypeError);
    }
    expect(host.asked).toHaveLength(1);
  });

  test("keeps the base path of the address", async () => {
    const { host } = await open((_, reply) => reply.json(200, {}));
    await createClient({ url: () => `${host.url}/holdfast/`, token: "" }).call("health");
    expect(host.asked).toMatchObject([{ path: "/holdfast/health" }]);
    expect(host.asked[0]?.headers).not.toHaveProperty("authorization");
  });

  test("sends a JSON body even when it has no fields", async () => {
    const { host, client } = await open((_, reply) => reply.json(200, {}));
    await client.call("pauseSession", { params: { sessionId: "s" } });
    expect(host.asked).toMatchObject([
      { body: "{}", headers: { "content-type": "application/json" } },
    ]);
  });

  test("returns undefined for 204, and text when the host answers with text", async () => {
    const { client } = await open(({ path }, reply) =>
      path === "/metrics" ? reply.text(200, "up 1\n") : reply.nothing(),
    );
    expect(await client.call("metrics")).toBe("up 1\n");
    expect(await client.call("deleteSession", { params: { sessionId: "s" } })).toBeUndefined();
  });

  test("returns bytes when the host answers with bytes, in any number of chunks", async () => {
    const { host, client } = await open((_, reply) =>
      reply.bytes(Uint8Array.of(0, 255, 10), Uint8Array.of(), Uint8Array.of(13, 195)),
    );
    const params = { sessionId: "s", hash: "h" };
    expect(await client.call("getBlob", { params })).toEqual(Uint8Array.of(0, 255, 10, 13, 195));
    expect(host.asked).toMatchObject([
      { path: "/api/sessions/s/blobs/h", headers: { accept: "application/octet-stream" } },
    ]);
  });

  test("waits for a long answer as long as data arrives, and no longer", async () => {
    const timers = quickTimers();
    const pieces = Array.from({ length: 3 }, (_, n) => Uint8Array.of(n));
    let begun = 0;
    const after: typeof timers.after = (ms, call) => {
      if (ms > 10_000) begun++;
      return timers.after(ms, call);
    };
    const { client } = await open((_, reply) => reply.bytes(...pieces), { ...timers, after });
    const params = { sessionId: "s", hash: "h" };
    expect(await client.call("getBlob", { params })).toHaveLength(3);
    expect(begun).toBeGreaterThan(1);
    timers.runOut();
  });

  test("throws the host's refusal", async () => {
    const { client } = await open((_, reply) => reply.problem(410, "session_ended", "It is over."));
    const error = await client.call("endSession", { params: { sessionId: "s" } }).catch((e) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 410, code: "session_ended", message: "It is over." });
  });

  test("throws an error for an answer that is not the host's", async () => {
    const { client } = await open((_, reply) => reply.text(502, "<h1>Bad Gateway</h1>"));
    await expect(client.call("listAgents")).rejects.toMatchObject({
      name: "ApiError",
      status: 502,
      code: "unknown",
      message: expect.stringContaining("502"),
    });
  });
});

describe("a call without an answer", () => {
  test("is retried under the same key when that is safe, with growing pauses", async () => {
    const { host, client, timers } = await open((_, reply, n) =>
      n < 3 ? reply.hangUp() : reply.json(202, { seq: 4 }),
    );
    const params = { sessionId: "s" };
    const sent = await client.call("sendMessage", { params, body: { content: "hi" } });
    expect(sent).toEqual({ seq: 4 });
    expect(new Set(host.asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(host.asked.map(({ body }) => body)).toEqual(Array(3).fill('{"content":"hi"}'));
    expect(timers.pauses).toEqual([250, 500]);
  });

  test("uses the key it is given", async () => {
    const { host, client } = await open((_, reply) => reply.json(200, {}));
    const params = { runId: "r" };
    await client.call("cancelRun", { params, idempotencyKey: "mine" });
    expect(host.asked).toMatchObject([{ headers: { "idempotency-key": "mine" } }]);
  });

  test("fails after three tries with a TransportError, not an ApiError", async () => {
    const { host, client } = await open((_, reply) => reply.hangUp());
    await expect(client.call("listAgents")).rejects.toBeInstanceOf(TransportError);
    expect(host.asked).toHaveLength(3);
  });

  test("is sent once when a repetition could create something twice", async () => {
    const { host, client } = await open((_, reply) => reply.hangUp());
    await expect(client.call("createKey", { body: { name: "ci" } })).rejects.toThrow(
      TransportError,
    );
    expect(host.asked).toHaveLength(1);
  });

  test("fails with a TransportError when the answer stops in the middle", async () => {
    const { client } = await open(async (_, reply) => {
      await reply.stream().send('{"half":');
      reply.hangUp();
    });
    await expect(client.call("openapi")).rejects.toBeInstanceOf(TransportError);
  });

  test("fails with a TransportError when no answer arrives in time", async () => {
    const timers = quickTimers();
    const { client } = await open(() => timers.runOut(), timers);
    const params = { sessionId: "s" };
    await expect(client.call("revokeDevice", { params: { deviceId: "d" } })).rejects.toThrow(
      /did not answer within 120 s/,
    );
    await expect(client.call("getStatus", { params })).rejects.toBeInstanceOf(TransportError);
  });

  test("rejects with the caller's own reason when the caller aborts it", async () => {
    const controller = new AbortController();
    const { host, client } = await open(() => controller.abort(new Error("enough")));
    await expect(client.call("health", { signal: controller.signal })).rejects.toThrow("enough");
    await expect(client.call("health", { signal: controller.signal })).rejects.toThrow("enough");
    expect(host.asked).toHaveLength(1);
  });

  test("names the address and the cause when there is no host", async () => {
    const { host } = await open((_, reply) => reply.hangUp());
    const { url } = host;
    await host.close();
    const client = createClient({ url, token: "secret", timers: quickTimers() });
    const error = await client.call("health").catch((e) => e);
    expect(error.message).toBe(`${url}/health did not answer (ECONNREFUSED).`);
    expect(String(error.stack)).not.toContain("secret");
  });
});
