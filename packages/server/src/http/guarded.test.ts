import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RouteName, RouteSpec } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { describe, expect, test } from "vitest";
import { Access } from "../access/credentials/access.ts";
import { guarded } from "../access/guard/middleware.ts";
import type { Script } from "../testing/scripted-agent.ts";
import { scriptedAgent } from "../testing/scripted-agent.ts";
import { testHost } from "../testing/test-host.ts";
import { type Asked, requestOf, testApp } from "./testing/test-app.ts";

const asking: Script = () => [
  { type: "tool_started", toolCallId: "t1", name: "bash", input: {}, gated: false },
  { type: "ask", toolCallId: "t1", toolName: "bash", input: {}, allowed: [], denied: [] },
];

/** The app behind the real guard. */
async function behindTheDoor() {
  const host = await testHost({ agents: [scriptedAgent("demo", asking)] });
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const dir = mkdtempSync(join(tmpdir(), "holdfast-access-"));
  const access = new Access({ dir, clock: host.clock, random });
  const guard = guarded({ access, port: () => 80 });
  const { app } = await testApp({ host, deps: { access, guard } });
  const send = async <N extends RouteName>(name: N, asked: Asked<N> = {}) => {
    const request = requestOf(name, { as: access.hostToken, ...asked });
    request.headers.set("host", "127.0.0.1");
    const response = await app.request(request);
    return { status: response.status, body: await response.json() };
  };
  return { host, app, send };
}

describe("behind the real guard", () => {
  test("the guard and the app match every request to the same route", async () => {
    const { send } = await behindTheDoor();
    for (const [name, { access, stream }] of Object.entries(routes) as [RouteName, RouteSpec][]) {
      if (stream !== undefined || name === "metrics") continue;
      const known = await send(name);
      // An empty request may be refused for other reasons, but not for its credential.
      expect([name, known.status]).not.toEqual([name, 401]);
      expect(known.body).not.toMatchObject({ code: "not_found" });
      const unknown = await send(name, { as: null });
      if (access !== "public") expect([name, unknown.status]).toEqual([name, 401]);
    }
  });

  test("a token in the body is accepted without a bearer, and any other request is refused", async () => {
    const { host, send } = await behindTheDoor();
    const created = await send("createSession", { body: { agent: "demo", message: "go" } });
    expect(created.status).toBe(201);
    const { run } = created.body as { run: { id: string } };
    // The clear token follows its event.
    await expect.poll(() => host.tokens).toHaveLength(1);
    const params = { runId: run.id, approvalId: "t1" };
    const token = host.tokens[0] ?? "";
    const decide = (more: object) =>
      send("decideApproval", { params, as: null, body: { decision: "allow", ...more } });
    expect((await decide({})).status).toBe(401);
    expect((await decide({ token: "nonsense" })).body).toMatchObject({ code: "token_invalid" });
    expect(await decide({ token })).toMatchObject({
      status: 200,
      body: { success: true, approval: { decision: "allow" } },
    });
  });
});
