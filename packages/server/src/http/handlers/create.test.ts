import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { modelsOffered } from "../../agents/acp/model-choice.ts";
import { fillDisk } from "../../testing/full-disk.ts";
import { done, text } from "../../testing/scripted-agent.ts";
import { testApp } from "../testing/test-app.ts";

describe("creating a session", () => {
  test("answers with it, idle until the first message", async () => {
    const { answer } = await testApp();
    const { status, reply } = await answer("createSession", {
      body: { agent: "demo", title: "Fix it", model: "m1", policy: { transientRetries: 1 } },
    });
    expect(status).toBe(201);
    expect(reply).toMatchObject({
      session: {
        title: "Fix it",
        agentName: "demo",
        model: "m1",
        lifecycle: "creating",
        status: "idle",
        currentRunId: null,
        policy: { transientRetries: 1 },
        workspace: { kind: "empty", path: null, branch: null },
      },
      run: null,
    });
  });

  test("[R003-1] [R003-25] with a message saves it and starts a run, and does not wait for it", async () => {
    const stalled = () => [{ type: "stall" }] as const;
    const { ask, host } = await testApp({ script: stalled });
    const { session, run } = await ask("createSession", {
      body: { agent: "demo", message: "Do it", model: "m1" },
    });
    expect(run).toMatchObject({ sessionId: session.id, status: "running", contentParts: [] });
    expect(session.currentRunId).toBe(run?.id);
    const events = await host.events(session.id as SessionId);
    expect(events.find(({ kind }) => kind === "message.user")).toMatchObject({ content: "Do it" });
    expect(events.find(({ kind }) => kind === "run.started")).toMatchObject({ model: "m1" });
  });

  test("is titled by the first line of its first message", async () => {
    const { ask } = await testApp();
    const titleOf = async (message?: string) => {
      const body = { agent: "demo", ...(message === undefined ? {} : { message }) };
      return (await ask("createSession", { body })).session.title;
    };
    expect(await titleOf()).toBe("New session");
    expect(await titleOf("\n  Fix the build  \nand more")).toBe("Fix the build");
    expect(await titleOf("x".repeat(500))).toBe("x".repeat(80));
    // Character 80 is half of a surrogate pair, and titles end in whole characters.
    expect(await titleOf(`${"x".repeat(79)}😀`)).toBe("x".repeat(79));
  });

  test("needs a known agent, and names the known ones", async () => {
    const { refused, host } = await testApp();
    const problem = await refused("createSession", { body: { agent: "codex" } });
    expect(problem.code).toBe("bad_input");
    expect(problem.detail).toContain("demo");
    expect((await host.journal.list({ limit: 10 })).sessions).toEqual([]);
  });

  test("is refused for a model that the agent did not offer to an earlier session", async () => {
    const { ask, answer, refused, host } = await testApp();
    const known = { body: { agent: "demo", model: "m1" }, key: "k" };
    const { session } = await ask("createSession", known);
    const offer = modelsOffered({ models: { availableModels: [{ modelId: "m2" }] } });
    host.agents.offered(await host.sessions.state(session.id as SessionId), offer);
    const problem = await refused("createSession", { body: { agent: "demo", model: "m1" } });
    expect(problem.code).toBe("model_unavailable");
    expect((await host.journal.list({ limit: 10 })).sessions).toHaveLength(1);
    expect((await answer("createSession", known)).reply).toMatchObject({
      session: { id: session.id },
    });
  });

  test("accepts a workspace it can serve, and says why it refuses others", async () => {
    const { ask, refused } = await testApp();
    const dir = mkdtempSync(join(tmpdir(), "holdfast-work-"));
    const file = join(dir, "file");
    writeFileSync(file, "");
    const inPlace = (path?: string) => ({
      body: { agent: "demo", workspace: { kind: "in-place" as const, path: path ?? null } },
    });
    expect((await ask("createSession", inPlace(dir))).session).toMatchObject({
      workspace: { kind: "in-place", path: dir },
      runtime: { worktree: { path: dir } },
    });
    for (const path of [undefined, file, join(dir, "none"), "packages"]) {
      expect(await refused("createSession", inPlace(path))).toMatchObject({ code: "bad_input" });
    }
  });

  test("offers only workspace kinds that it serves, and names them when it refuses another", async () => {
    const { refused } = await testApp();
    for (const kind of ["clone", "worktree", "copy"]) {
      const workspace = { kind, path: "/tmp" } as unknown as { kind: "empty" };
      const problem = await refused("createSession", { body: { agent: "demo", workspace } });
      expect(problem).toMatchObject({ code: "bad_input" });
      expect(problem.detail).toMatch(/workspace\.kind.*"empty".*"in-place"/);
    }
  });

  test("refuses a policy that sessions may not set", async () => {
    const { refused } = await testApp();
    const body = { agent: "demo", policy: { sweep: 1 } };
    expect((await refused("createSession", { body })).code).toBe("bad_input");
  });
});

describe("creating a session again under the same key", () => {
  const body = { agent: "demo", message: "Do it" };
  const script = () => [text("done"), done()];

  test("returns the same session and the same run", async () => {
    const { answer, host } = await testApp({ script });
    const first = await answer("createSession", { body, key: "k" });
    await host.until(first.reply.session.id as SessionId, "run.completed");
    const second = await answer("createSession", { body, key: "k" });
    expect(second.status).toBe(201);
    expect(second.reply.session.id).toBe(first.reply.session.id);
    expect(second.reply.run).toMatchObject({ id: first.reply.run?.id, status: "completed" });
    const other = await answer("createSession", { body, key: "k2" });
    expect(other.reply.session.id).not.toBe(first.reply.session.id);
  });

  test("works with the message's own client id, and with many concurrent requests", async () => {
    const { ask, host } = await testApp({ script });
    const asked = Array.from({ length: 8 }, () =>
      ask("createSession", { body: { ...body, clientId: "c1" } }),
    );
    const replies = await Promise.all(asked);
    expect(new Set(replies.map(({ session }) => session.id)).size).toBe(1);
    expect(new Set(replies.map(({ run }) => run?.id)).size).toBe(1);
    const events = await host.events(replies[0]?.session.id as SessionId);
    expect(events.filter(({ kind }) => kind === "message.user")).toHaveLength(1);
  });

  test("sends a message that an earlier failure left unsent, once", async () => {
    const { ask, refused, host } = await testApp({ script });
    const free = fillDisk(host.journal, "message.user");
    expect((await refused("createSession", { body, key: "k" })).code).toBe("journal_full");
    free();
    const { session, run } = await ask("createSession", { body, key: "k" });
    expect(run).not.toBeNull();
    expect((await ask("createSession", { body, key: "k" })).run?.id).toBe(run?.id);
    expect((await host.journal.list({ limit: 10 })).sessions).toHaveLength(1);
    expect(session.title).toBe("Do it");
  });

  test("is answered after a restart, and after the session ended", async () => {
    const { ask, host } = await testApp({ script });
    const { session, run } = await ask("createSession", { body, key: "k" });
    await host.until(session.id as SessionId, "run.completed");
    const next = await testApp({ host: await host.crash() });
    await next.ask("endSession", { params: { sessionId: session.id } });
    const again = await next.ask("createSession", { body, key: "k" });
    expect(again).toMatchObject({
      session: { id: session.id, lifecycle: "ended" },
      run: { id: run?.id },
    });
  });
});
