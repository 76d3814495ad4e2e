import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  choose,
  cleanUp,
  type Driven,
  drive,
  temporaryDirectory,
  textOf,
} from "./testing/drive.ts";

/** Generous timeout for a busy machine. */
const POLL = { timeout: 10_000 };

const toolCalls = (agent: Driven) =>
  agent.updates.filter((update) => update.sessionUpdate === "tool_call");

const finished = (agent: Driven, toolCallId: string | undefined) =>
  agent.updates.findLast(
    (update) => update.sessionUpdate === "tool_call_update" && update.toolCallId === toolCallId,
  );

describe("a turn without words", () => {
  let agent: Driven;
  let cwd: string;

  beforeAll(async () => {
    agent = await drive({ cwd: temporaryDirectory(), state: temporaryDirectory() });
  });
  beforeEach(() => {
    agent.clear();
    agent.answer = () => choose("allow_once");
    cwd = temporaryDirectory();
  });
  afterAll(cleanUp);

  const git = (...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });

  test("the official ACP client, unmodified, drives the demo agent through a whole turn", async () => {
    const session = await agent.newSession(cwd);
    expect(git("log", "--format=%an %s")).toBe("Demo Agent Begin a list of things to do\n");

    expect(await agent.prompt(session, "Make it right")).toEqual({ stopReason: "end_turn" });

    expect(git("status", "--short")).toBe(" M todo.js\n M todo.test.js\n");
    const [read, edit, testEdit, run] = toolCalls(agent);
    expect([read?.kind, edit?.kind, testEdit?.kind, run?.kind]).toEqual([
      "read",
      "edit",
      "edit",
      "execute",
    ]);
    expect(edit?.content).toMatchObject([
      { type: "diff", newText: readFileSync(join(cwd, "todo.js"), "utf8") },
    ]);
    expect(agent.asked).toMatchObject([
      {
        toolCall: { toolCallId: run?.toolCallId, rawInput: { command: "node --test" } },
        options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
      },
    ]);
    expect(finished(agent, run?.toolCallId)).toMatchObject({
      status: "completed",
      rawOutput: { exitCode: 0 },
      content: [{ content: { text: expect.stringContaining("counts what is still to do") } }],
    });
    const plans = agent.updates.flatMap((update) =>
      update.sessionUpdate === "plan" ? [update.entries.map((entry) => entry.status)] : [],
    );
    expect(plans).toEqual([
      ["in_progress", "pending", "pending"],
      ["completed", "in_progress", "pending"],
      ["completed", "completed", "in_progress"],
      ["completed", "completed", "completed"],
    ]);
    expect(agent.updates.at(0)).toMatchObject({ sessionUpdate: "agent_thought_chunk" });
    expect(agent.updates.at(-1)).toMatchObject({ sessionUpdate: "usage_update" });
    expect(textOf(agent.updates)).toMatch(/^This is turn 1 .*Tests: passed\.\n$/s);
  });

  test("makes another real change each time, and stops asking once always allowed", async () => {
    agent.answer = () => choose("allow_always");
    const session = await agent.newSession(cwd);
    const trees = new Set<string>();
    for (let turn = 1; turn <= 5; turn++) {
      await agent.prompt(session, "more");
      git("add", "--all");
      trees.add(git("write-tree"));
    }
    expect(trees.size).toBe(5);
    expect(textOf(agent.updates)).toContain("This is turn 5 of our conversation.");
    expect(textOf(agent.updates).match(/Tests: passed/g)).toHaveLength(5);
    expect(agent.asked).toHaveLength(1);
  });

  test("does not run a denied command, says so, and ends normally", async () => {
    agent.answer = () => choose("reject_once");
    const response = await agent.prompt(await agent.newSession(cwd), "go");
    expect(response.stopReason).toBe("end_turn");
    const run = toolCalls(agent).at(-1);
    expect(finished(agent, run?.toolCallId)).toMatchObject({ status: "failed" });
    expect(textOf(agent.updates)).toContain("Tests: not allowed.");
  });

  test("works in a directory with files as it finds it", async () => {
    writeFileSync(join(cwd, "mine.txt"), "mine\n");
    await agent.prompt(await agent.newSession(cwd), "go");
    expect(textOf(agent.updates)).toContain("Tests: passed.");
    expect(readdirSync(cwd).sort()).toEqual(["demo-notes.md", "demo-notes.test.mjs", "mine.txt"]);
  });

  test("a question that is answered with a cancel ends the turn as cancelled", async () => {
    agent.answer = () => Promise.resolve({ outcome: "cancelled" });
    const session = await agent.newSession(cwd);
    expect(await agent.prompt(session, "go")).toEqual({ stopReason: "cancelled" });
  });

  test("a cancel withdraws an unanswered question", async () => {
    agent.answer = () => new Promise(() => {});
    const session = await agent.newSession(cwd);
    const response = agent.prompt(session, "/ask");
    await expect.poll(() => agent.asked.length, POLL).toBe(1);
    await agent.cancel(session);
    expect(await response).toEqual({ stopReason: "cancelled" });
    expect(agent.stdout()).toContain("$/cancel_request");
  });

  test("takes one prompt at a time, and only for sessions it has opened", async () => {
    const session = await agent.newSession(cwd);
    const stalled = agent.prompt(session, "/stall");
    await agent.update((update) => update.sessionUpdate === "tool_call");
    await expect(agent.prompt(session, "/say hi")).rejects.toMatchObject({ code: -32600 });
    await expect(agent.prompt("no-such-session", "hi")).rejects.toMatchObject({ code: -32002 });
    await agent.cancel(session);
    expect(await stalled).toEqual({ stopReason: "cancelled" });
  });
});

describe("being stopped while a command runs", () => {
  afterEach(cleanUp);

  /** A test that never ends and writes its process id. */
  const hang = `import { writeFileSync } from "node:fs";
import { test } from "node:test";
test("hangs", () => {
  writeFileSync("pid.tmp", String(process.pid));
  return new Promise((resolve) => setTimeout(resolve, 60_000));
});
`;

  async function startHanging() {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, "hang.test.mjs"), hang);
    const agent = await drive({ cwd, state: temporaryDirectory() });
    const session = await agent.newSession();
    const path = join(cwd, "pid.tmp");
    const response = agent.prompt(session, "go");
    await expect.poll(() => existsSync(path) && readFileSync(path, "utf8"), POLL).toMatch(/\d/);
    return { agent, session, response, pid: Number(readFileSync(path, "utf8")) };
  }

  /** Counts a zombie as gone. */
  const gone = (pid: number) =>
    expect
      .poll(
        () => spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout,
        POLL,
      )
      .toMatch(/^(Z.*)?$/);

  test("a cancel kills it and all it has started", async () => {
    const { agent, session, response, pid } = await startHanging();
    await agent.cancel(session);
    expect(await response).toEqual({ stopReason: "cancelled" });
    const run = toolCalls(agent).at(-1);
    expect(finished(agent, run?.toolCallId)).toMatchObject({ status: "failed" });
    await gone(pid);
    expect((await agent.prompt(session, "/say on we go")).stopReason).toBe("end_turn");
  });

  test.each([
    ["SIGTERM", 143, (agent: Driven) => void agent.kill("SIGTERM")],
    ["the end of stdin", 0, (agent: Driven) => agent.endStdin()],
  ])("%s ends the agent and it", async (_, code, stop) => {
    const { agent, pid } = await startHanging();
    stop(agent);
    expect(await agent.exited).toBe(code);
    await gone(pid);
  });
});
