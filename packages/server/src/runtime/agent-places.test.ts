import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { demoRow } from "../agents/table/rows.ts";
import { type AgentDefinition, agentOf } from "../agents/table/table.ts";
import { endPlaces, env, openPlace, type Place } from "./testing/place.ts";

let source: string;

beforeEach(() => {
  source = mkdtempSync(join(tmpdir(), "holdfast-definition-"));
  writeFileSync(join(source, "CLAUDE.md"), "be kind");
});

afterEach(async () => {
  await endPlaces();
  rmSync(source, { recursive: true });
});

const withDefinition = (): AgentDefinition => agentOf(demoRow, env, { definition: source });

async function created(p: Place) {
  const definition = (await p.host?.agents.pin("demo")) ?? null;
  return p.create({}, { definition });
}

const homeOf = (p: Place, id: string) => join(p.data, "agents", id, "home");

describe("a session whose agent has a definition", () => {
  test("keeps the definition it was created with over restarts and resumes [R001-4]", async () => {
    const p = await openPlace({ definitions: [withDefinition()] });
    const id = await created(p);
    await p.prompt(id, "/say hello");
    await p.kind(id, "run.completed");
    const file = join(homeOf(p, id), "CLAUDE.md");
    expect(readFileSync(file, "utf8")).toBe("be kind");
    writeFileSync(join(source, "CLAUDE.md"), "be quick");
    writeFileSync(file, "be mine");
    await p.host?.runtimes.pause(id);
    await p.close();
    await p.open({ definitions: [withDefinition()] });
    await p.host?.runtimes.revive(id, "revive").done;
    expect(readFileSync(file, "utf8")).toBe("be kind");
    const later = await created(p);
    await p.prompt(later, "/say hello");
    await p.kind(later, "run.completed");
    expect(readFileSync(join(homeOf(p, later), "CLAUDE.md"), "utf8")).toBe("be quick");
  });

  test("is one that was created since: a session from before stays in the home it had", async () => {
    const p = await openPlace();
    const id = await p.create();
    await p.prompt(id, "/say hello");
    await p.kind(id, "run.completed");
    await p.host?.runtimes.pause(id);
    await p.close();
    await p.open({ definitions: [withDefinition()] });
    expect(await p.host?.runtimes.revive(id, "revive").done).toMatchObject({ grade: "verified" });
    expect(existsSync(homeOf(p, id))).toBe(false);
    // A session without a definition may also have its own home, and keeps it.
    const bare = agentOf(demoRow, env, { ownHome: true });
    await p.close();
    await p.open({ definitions: [bare] });
    const later = await created(p);
    await p.prompt(later, "/say hello");
    await p.kind(later, "run.completed");
    expect(existsSync(homeOf(p, later))).toBe(true);
  });

  test("does not start without it, and says why", async () => {
    const p = await openPlace({ definitions: [withDefinition()] });
    const id = await created(p);
    rmSync(join(p.data, "definitions"), { recursive: true });
    await expect(p.host?.runtimes.revive(id, "revive").done).rejects.toMatchObject({
      code: "agent_missing",
    });
  });
});

test("an agent that cannot write where it keeps its sessions is not started", async () => {
  const blocked = join(source, "CLAUDE.md", "sessions");
  const agent = { ...agentOf(demoRow, env), keeps: () => [blocked] };
  const p = await openPlace({ definitions: [agent] });
  const id = await p.create();
  await expect(p.host?.runtimes.revive(id, "revive").done).rejects.toMatchObject({
    code: "launch_failed",
    message: expect.stringContaining(blocked),
  });
});

test("a session with a missing agent is refused, and the error says what to do", async () => {
  const gone = {
    ...demoRow,
    name: "gone",
    ways: [{ bin: "no-such-thing", args: [] }],
    install: { advice: "x" },
  };
  const p = await openPlace({ definitions: [agentOf(demoRow, env), agentOf(gone, env)] });
  expect(p.host?.agents.refuse("demo")).toBeNull();
  expect(p.host?.agents.refuse("gone")).toMatchObject({ code: "agent_missing" });
  expect(p.host?.agents.refuse("none")).toMatchObject({
    code: "bad_input",
    message: 'This host has no agent "none". Ready: demo.',
  });
});

describe("a check of an agent", () => {
  test("shows the installed agent, and leaves no files or processes", async () => {
    const p = await openPlace({ definitions: [withDefinition()] });
    mkdirSync(join(p.data, "agents"), { recursive: true });
    const check = await p.host?.checkAgent("demo");
    expect(check).toMatchObject({
      name: "demo",
      protocolVersion: 1,
      can: ["load"],
      problem: null,
      unwritable: [],
      modes: [],
      logins: [],
      unknownSession: "refused (-32002)",
    });
    expect(check?.startMs).toBeGreaterThan(0);
    expect(readdirSync(join(p.data, "agents"))).toEqual([]);
    expect(p.holders()).toEqual([]);
  });

  test("of one that ends says what it said last", async () => {
    const dies = agentOf(
      { ...demoRow, ways: [{ bin: "sh", args: ["-c", "echo no >&2; exit 3"] }] },
      env,
    );
    const p = await openPlace({ definitions: [dies] });
    await expect(p.host?.checkAgent("demo")).rejects.toMatchObject({
      code: "launch_failed",
      message: "The agent did not start: it exited (exit code 3): no.",
    });
  });

  test("of one that refuses to start, or fails with a stack, says why in words", async () => {
    const refuses = `read -r line; printf '%s\\n' '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no config"}}'; sleep 5`;
    const crashes = "echo 'Error: no such model' >&2; echo 'Node.js v20.1.0' >&2; exit 1";
    const agents = [refuses, crashes].map((script, i) =>
      agentOf({ ...demoRow, name: `a${i}`, ways: [{ bin: "sh", args: ["-c", script] }] }, env),
    );
    const p = await openPlace({ definitions: agents });
    await expect(p.host?.checkAgent("a0")).rejects.toMatchObject({
      code: "launch_failed",
      message: "The agent started, but refused the first request: no config",
    });
    await expect(p.host?.checkAgent("a1")).rejects.toThrow("(exit code 1): Error: no such model");
    const id = await p.create({}, { agentName: "a1" });
    await expect(p.host?.runtimes.revive(id, "revive").done).rejects.toThrow("no such model");
  });

  test("notices a login that is missing, a release that was not tested, and that there is no boundary", async () => {
    const login = {
      how: "run it and type /login",
      env: ["HOLDFAST_TEST_KEY"],
      files: [".demo/key"],
    };
    const row = {
      ...demoRow,
      tested: "0.0.1",
      login,
      pass: [...demoRow.pass, "HOLDFAST_TEST_KEY"],
    };
    const home = join(source, "home");
    mkdirSync(home);
    const p = await openPlace({ definitions: [agentOf(row, { ...env, HOME: home })] });
    const check = await p.host?.checkAgent("demo");
    expect(check).toMatchObject({
      tested: "0.0.1",
      isolation: "none",
      survivorsEnd: expect.any(Boolean),
      login: {
        found: false,
        how: login.how,
        looked: ["HOLDFAST_TEST_KEY", join(home, ".demo/key")],
      },
    });
    expect(check?.version).not.toBe("0.0.1");
    mkdirSync(join(home, ".demo"));
    writeFileSync(join(home, ".demo/key"), "x");
    expect(await p.host?.checkAgent("demo")).toMatchObject({ login: { found: true } });
    const withKey = agentOf(row, { ...env, HOLDFAST_TEST_KEY: "x" });
    expect(withKey.login?.({ workspace: "", state: "", home: null, mcpServers: [] })).toMatchObject(
      {
        found: true,
      },
    );
  });

  test("of one that is missing says how to get it", async () => {
    const gone = agentOf(
      { ...demoRow, ways: [{ bin: "no-such-thing", args: [] }], install: { advice: "x" } },
      env,
    );
    const p = await openPlace({ definitions: [gone] });
    await expect(p.host?.checkAgent("demo")).rejects.toMatchObject({ code: "agent_missing" });
    await expect(p.host?.checkAgent("nope")).rejects.toMatchObject({ code: "agent_not_found" });
    expect(existsSync(join(p.data, "agents"))).toBe(false);
  });
});
