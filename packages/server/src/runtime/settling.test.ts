import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { latestRun, sessionView } from "@holdfast/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDefinition } from "../agents/table/table.ts";
import { endPlaces, env, openPlace, type Place } from "./testing/place.ts";

afterAll(endPlaces);

/** An agent that answers every request, offers two models and a mode, and logs its requests. */
const script = `
  const { appendFileSync } = require("node:fs");
  const options = [{ id: "m", category: "model", options: [{ value: "large" }, { value: "small" }] }];
  const answers = {
    initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
    "session/new": { sessionId: "s", configOptions: options },
    "session/load": { configOptions: options },
    "session/prompt": {
      stopReason: "end_turn",
      usage: { inputTokens: 7, outputTokens: 2 },
      _meta: { holdfast: { lastMessage: "m-1" } },
    },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    appendFileSync("asked", JSON.stringify([method, params, process.env.MINE]) + "\\n");
    if (method === "session/prompt") {
      const entries = [{ content: "mend it", status: "pending", priority: "high" }];
      const update = { sessionUpdate: "plan", entries };
      say({ method: "session/update", params: { sessionId: "s", update } });
    }
    if (method === "session/load") {
      const update = { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hello" } };
      say({ method: "session/update", params: { sessionId: "s", update } });
    }
    if (id !== undefined) say({ id, result: answers[method] ?? {} });
  });
  const say = (line) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...line }) + "\\n");
`;

const choosy = (
  resume: AgentDefinition["resume"] = "native",
  program = script,
): AgentDefinition => ({
  name: "demo",
  resume,
  history: "fallback",
  mode: "asking",
  ownHome: true,
  missing: () => null,
  version: () => null,
  launch: ({ workspace: cwd }) => ({
    command: process.execPath,
    args: ["-e", program],
    cwd,
    env: { ...env, MINE: "mine" },
  }),
});

/** One host for all tests with this agent, each with a session of its own. */
let p: Place;
beforeAll(async () => {
  p = await openPlace({ definitions: [choosy()] });
});

interface Params {
  readonly mcpServers?: readonly unknown[];
  readonly prompt?: readonly { readonly text: string }[];
}

function asked(p: Place, id: string): [string, Params, string][] {
  const text = readFileSync(join(p.data, "workspaces", id, "asked"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("the mode and the model that are wanted are set on every way up, before the first prompt", async () => {
  const id = await p.create({}, { model: "small" });
  await p.prompt(id, "hello");
  await p.kind(id, "run.completed");
  await p.host?.runtimes.pause(id);
  const resumed = await p.host?.runtimes.revive(id, "revive").done;
  expect(resumed).toMatchObject({ rung: "native", grade: "verified" });
  const set = [
    ["session/set_mode", { sessionId: "s", modeId: "asking" }],
    ["session/set_config_option", { sessionId: "s", configId: "m", value: "small" }],
  ];
  const told = asked(p, id);
  const pairs = told.map(([method, params]) => [method, params] as const);
  expect(pairs.filter(([method]) => method.startsWith("session/set_"))).toEqual([...set, ...set]);
  expect(told.map(([method]) => method).slice(0, 5)).toEqual([
    ...["initialize", "session/new", "session/set_mode", "session/set_config_option"],
    "session/prompt",
  ]);
});

test.each(["native", "none"] as const)(
  "a resume (%s) keeps MCP servers, environment, model and plan [F44] [R004-28]",
  async (resume) => {
    const source = mkdtempSync(join(tmpdir(), "holdfast-definition-"));
    writeFileSync(join(source, "mcp.json"), '{"mcpServers":{"files":{"command":"files"}}}');
    const agent = { ...choosy(resume), definition: source };
    const p = await openPlace({ definitions: [agent] });
    const definition = (await p.host?.agents.pin("demo")) ?? null;
    rmSync(source, { recursive: true });
    const id = await p.create({}, { model: "small", definition });
    await p.prompt(id, "hello");
    await p.kind(id, "run.completed");
    process.kill(p.agentPid(), "SIGKILL");
    await p.kind(id, "agent.exited");
    await p.prompt(id, "go on");
    await expect.poll(async () => (await p.of(id, "run.completed")).length).toBe(2);
    const told = asked(p, id);
    const opened = told.filter(([method]) => /^session\/(new|load)$/.test(method));
    const servers = [{ name: "files", command: "files", args: [], env: [] }];
    expect(opened.map(([, { mcpServers }]) => mcpServers)).toEqual([servers, servers]);
    expect(told.filter(([method]) => method === "session/set_config_option")).toHaveLength(2);
    expect(new Set(told.map(([, , mine]) => mine))).toEqual(new Set(["mine"]));
    // An agent that loads its session remembers the plan; one that is told the history is told the
    // plan too.
    const last = told.findLast(([method]) => method === "session/prompt")?.[1].prompt?.[0]?.text;
    if (resume === "none") expect(last).toContain("- (pending) mend it");
    else expect(last).toBe("go on");
  },
);

test("what a run cost is what its agent told, with when it began and ended [R003-24]", async () => {
  const id = await p.create();
  await p.prompt(id, "hello");
  const { ts: startedAt } = await p.kind(id, "run.started");
  const { ts: completedAt } = await p.kind(id, "run.completed");
  const run = latestRun(await p.sessions.state(id), { epoch: p.sessions.epoch });
  expect(run).toMatchObject({
    errorMessage: null,
    inputTokens: 7,
    outputTokens: 2,
    startedAt,
    completedAt,
  });
});

test("what a resume needs is with the session: the agent's ids, its place, its processes and their state", async () => {
  const id = await p.create();
  await p.prompt(id, "hello");
  await p.kind(id, "run.completed");
  const { runtime } = sessionView(await p.sessions.state(id), { epoch: p.sessions.epoch });
  expect(runtime).toMatchObject({
    state: "live",
    agentSessionId: "s",
    lastMessageId: "m-1",
    sandbox: { provider: "process", id: expect.stringMatching(/^sbx_/), state: "ready" },
    holder: { id: expect.stringMatching(/^hold_/) },
  });
});

test("an agent that neither loads its session nor is told its history starts idle, without context [R004-5]", async () => {
  const p = await openPlace({ definitions: [{ ...choosy("none"), history: "never" }] });
  const id = await p.create();
  await p.prompt(id, "hello");
  await p.kind(id, "run.completed");
  await p.host?.runtimes.pause(id);
  const resumed = await p.host?.runtimes.revive(id, "revive").done;
  expect(resumed).toMatchObject({ rung: "fresh" });
  const before = asked(p, id).length;
  expect(asked(p, id).map(([method]) => method)).not.toContain("session/load");
  await p.prompt(id, "go on");
  await expect.poll(async () => (await p.of(id, "run.completed")).length).toBe(2);
  const told = asked(p, id).slice(before);
  expect(told.map(([method, { prompt }]) => [method, prompt?.[0]?.text])).toEqual([
    ["session/prompt", "go on"],
  ]);
});

test("an agent that is always told its history is not asked for its own", async () => {
  const p = await openPlace({ definitions: [{ ...choosy(), history: "inject" }] });
  const id = await p.create();
  await p.prompt(id, "hello");
  await p.kind(id, "run.completed");
  await p.host?.runtimes.pause(id);
  const resumed = await p.host?.runtimes.revive(id, "revive").done;
  expect(resumed).toMatchObject({ rung: "injected", grade: "injected" });
  expect(asked(p, id).map(([method]) => method)).not.toContain("session/load");
});

const valuesSet = (p: Place, id: string) =>
  asked(p, id).flatMap(([method, params]) =>
    method === "session/set_config_option" ? (params as { value: string }).value : [],
  );

test("a model sent with a message reaches the live agent, and holds for that message [R003-25]", async () => {
  const id = await p.create({}, { model: "small" });
  const send = async (content: string, model?: string) => {
    const { state } = await p.sessions.execute(id, "prompt", {
      content,
      ...(model === undefined ? {} : { model }),
    });
    await expect.poll(async () => (await p.sessions.state(id)).run?.outcome).toBe("completed");
    return state.run;
  };
  await send("one");
  expect((await send("two", "large"))?.model).toBe("large");
  await send("three");
  const told = asked(p, id).flatMap(([method, { prompt, ...params }]) => {
    if (method === "session/prompt") return prompt?.[0]?.text ?? [];
    return method === "session/set_config_option" ? (params as { value?: string }).value : [];
  });
  expect(told).toEqual(["small", "one", "large", "two", "small", "three"]);
  expect(await p.of(id, "holder.launched")).toHaveLength(1);
});

test("a model sent with a message that the live agent does not have fails that run alone", async () => {
  const id = await p.create();
  await p.prompt(id, "one");
  await p.kind(id, "run.completed");
  await p.sessions.execute(id, "prompt", { content: "two", model: "huge" });
  expect(await p.kind(id, "run.failed")).toMatchObject({
    error: {
      code: "model_unavailable",
      message: expect.stringContaining("next message: large, small."),
    },
  });
  await p.prompt(id, "three");
  await expect.poll(async () => (await p.of(id, "run.completed")).length).toBe(2);
  expect(valuesSet(p, id)).toEqual([]);
});

test.each([
  ["with a model", undefined, "large"],
  ["without one, after one with a model,", "large", undefined],
])(
  "a message %s to an agent of an earlier host brings it up again with its own model",
  async (_, first, second) => {
    // The turn outlasts the host's restart, so that the next host finds the agent alive.
    const slow = script.replace(
      "if (id !== undefined) say({",
      'if (id !== undefined) setTimeout(say, method === "session/prompt" ? 1000 : 0, {',
    );
    const definitions = [choosy("native", slow)];
    const p = await openPlace({ definitions });
    const id = await p.create();
    const send = (content: string, model: string | undefined) =>
      p.sessions.execute(id, "prompt", { content, ...(model === undefined ? {} : { model }) });
    await send("one", first);
    await p.kind(id, "attempt.accepted");
    await p.close();
    await p.open({ definitions });
    await p.kind(id, "run.completed");
    await send("two", second);
    await expect.poll(async () => (await p.of(id, "run.completed")).length).toBe(2);
    expect(valuesSet(p, id)).toEqual(["large"]);
    expect(await p.of(id, "holder.launched")).toHaveLength(2);
  },
);

test("a model that the agent does not have is refused, and those that it has are named", async () => {
  const id = await p.create({}, { model: "huge" });
  await p.prompt(id, "hello");
  expect(await p.kind(id, "run.failed")).toMatchObject({
    error: {
      code: "model_unavailable",
      message: expect.stringContaining(
        'has no model "huge". Choose one of these for a new session or the next message: large, small.',
      ),
    },
  });
  // The host knows the agent's models by now, and can refuse before it creates a session.
  const { agents } = p.parts;
  const state = await p.sessions.state(id);
  expect(agents.refuseModel(state, "huge")).toMatchObject({ code: "model_unavailable" });
  expect(agents.refuseModel({ ...state, tenant: "other" }, "huge")).toBeNull();
});

/** The same agent, which offers no choice of models once the file `asked` exists. */
const fickle = script.replace(
  "const options =",
  'const options = require("node:fs").existsSync("asked") ? [] :',
);

test("a model is refused where the agent has no choice, by the agent's name, each time it is tried", async () => {
  const p = await openPlace({ definitions: [choosy("native", script.replace('"model"', '"x"'))] });
  const id = await p.create({}, { model: "small" });
  for (const [index, text] of ["hello", "again"].entries()) {
    await p.prompt(id, text);
    await expect.poll(async () => (await p.of(id, "run.failed")).length).toBe(index + 1);
  }
  for (const { error } of await p.of(id, "run.failed")) {
    expect(error.code).toBe("model_unavailable");
    expect(error.message).toContain(
      'The agent "demo" offers no choice of models, so it cannot use "small"',
    );
  }
  expect(asked(p, id).map(([method]) => method)).not.toContain("session/prompt");
});

test("an agent that offers no choice any more takes no session with it", async () => {
  const p = await openPlace({ definitions: [choosy("native", fickle)] });
  const id = await p.create({}, { model: "small" });
  await p.prompt(id, "hello");
  await p.kind(id, "run.completed");
  await p.host?.runtimes.pause(id);
  const resumed = await p.host?.runtimes.revive(id, "revive").done;
  expect(resumed).toMatchObject({ rung: "native" });
});
