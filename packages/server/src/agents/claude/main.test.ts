import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listProcesses, processesMarked } from "../../base/processes.ts";
import { choose, cleanUp, temporaryDirectory, textOf } from "../demo/testing/drive.ts";
import { claudeBridge } from "./launch.ts";
import {
  aPlace,
  askedOf,
  endBridges,
  fakeSdk,
  optionsAsked,
  type Place,
  startBridge,
} from "./testing/bridge.ts";
import { assistant, begin, done, piece, say, text, toolUse } from "./testing/says.ts";

let place: Place;

beforeEach(() => {
  place = aPlace(temporaryDirectory);
});
afterEach(async () => {
  await endBridges();
  await cleanUp();
});

const question = {
  id: "toolu_1",
  name: "Bash",
  input: { command: "rm -r ../x", nested: { a: [1] } },
};
const asking = [
  ...say(assistant(toolUse(question.id, question.name, question.input))),
  { ask: question },
];

test("the bridge reports its capabilities and the version of the SDK", async () => {
  const bridge = await startBridge(place);
  expect(await bridge.initialize()).toMatchObject({
    agentInfo: { name: "claude", version: "0.0.7" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {}, fork: {} } },
  });
});

test("a turn streams words once, and ends with its reason and its usage", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession([
    { name: "files", command: "serve", args: ["-x"], env: [{ name: "A", value: "b" }] },
    { type: "http", name: "net", url: "http://127.0.0.1:1", headers: [{ name: "k", value: "v" }] },
  ]);
  const pieces = ["Good ", "day."].map((text) => piece(0, { type: "text_delta", text }));
  const script = say(begin(), ...pieces, assistant(text("Good day."), { uuid: "a-9" }), done);
  expect(await bridge.prompt(session, ...script)).toMatchObject({
    stopReason: "end_turn",
    usage: { inputTokens: 12, outputTokens: 6 },
    _meta: { holdfast: { lastMessage: "a-9" } },
  });
  expect(textOf(bridge.updates)).toBe("Good day.");
  expect(optionsAsked(place)).toMatchObject([
    {
      sessionId: session,
      cwd: place.cwd,
      permissionMode: "default",
      settingSources: ["user"],
      mcpServers: {
        files: { type: "stdio", command: "serve", args: ["-x"], env: { A: "b" } },
        net: { type: "http", url: "http://127.0.0.1:1", headers: { k: "v" } },
      },
      env: { CLAUDE_CONFIG_DIR: place.config, MARK: place.state },
    },
  ]);
  await bridge.prompt(session, ...say(done));
  expect(optionsAsked(place)[1]).toMatchObject({ resume: session, cwd: place.cwd });
  expect(optionsAsked(place)[1]).not.toHaveProperty("sessionId");
});

test("an allowed call runs with exactly the input that was shown [P20]", async () => {
  const bridge = await startBridge(place);
  await bridge.prompt(await bridge.newSession(), ...asking, ...say(done));
  expect(bridge.asked).toMatchObject([
    {
      toolCall: { toolCallId: "toolu_1", rawInput: question.input, kind: "execute" },
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
    },
  ]);
  const answer = { behavior: "allow", updatedInput: question.input };
  expect(askedOf(place).at(-1)).toEqual({ answer });
  expect(bridge.updates.at(-1)).toMatchObject({
    toolCallId: "toolu_1",
    status: "completed",
    content: [{ content: { text: `used with ${JSON.stringify(question.input)}` } }],
  });
});

test("a rejected call does not run, and the turn continues", async () => {
  const bridge = await startBridge(place);
  bridge.answer = () => choose("reject_once");
  const reply = await bridge.prompt(await bridge.newSession(), ...asking, ...say(done));
  expect(reply.stopReason).toBe("end_turn");
  expect(askedOf(place).at(-1)).toMatchObject({ answer: { behavior: "deny" } });
  expect(bridge.updates.at(-1)).toMatchObject({ toolCallId: "toolu_1", status: "failed" });
});

test("the reason of a denial is told to Claude", async () => {
  const bridge = await startBridge(place);
  bridge.answer = () => choose("reject_once");
  bridge.answerMeta = { holdfast: { reason: "not on Friday" } };
  await bridge.prompt(await bridge.newSession(), ...asking, ...say(done));
  const message = expect.stringMatching(/The user's reason: not on Friday$/);
  expect(askedOf(place).at(-1)).toMatchObject({ answer: { behavior: "deny", message } });
});

test("a cancel while a question is open ends the turn, and the next one works", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  const isAsked = Promise.withResolvers<void>();
  bridge.answer = () => {
    isAsked.resolve();
    return new Promise(() => {});
  };
  const turn = bridge.prompt(session, ...asking, ...say(done));
  await isAsked.promise;
  await bridge.cancel(session);
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(bridge.updates.at(-1)).toMatchObject({ toolCallId: "toolu_1", status: "failed" });
  expect(await bridge.prompt(session, ...say(done))).toMatchObject({ stopReason: "end_turn" });
});

test.each([
  ["interrupt", "interrupted"],
  ["deaf", "aborted"],
] as const)("a cancel is heard in time: %s", async (wait, stopped) => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  const call = assistant(toolUse("toolu_1", "Bash", {}));
  const turn = bridge.prompt(session, ...say(call), { wait });
  await bridge.update(({ sessionUpdate }) => sessionUpdate === "tool_call");
  await bridge.cancel(session);
  expect(await turn).toEqual({ stopReason: "cancelled" });
  expect(askedOf(place).at(-1)).toEqual({ stopped });
  expect(bridge.updates.at(-1)).toMatchObject({ toolCallId: "toolu_1", status: "failed" });
  expect(await bridge.prompt(session, ...say(done))).toMatchObject({ stopReason: "end_turn" });
});

test("a provider's error has its status, and the session goes on", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  const failed = {
    ...done,
    is_error: true,
    result: "API Error: Overloaded",
    api_error_status: 529,
  };
  // The real SDK throws after such a result.
  await expect(
    bridge.prompt(session, ...say(failed), { fail: "Claude Code returned an error result" }),
  ).rejects.toMatchObject({ message: "API Error: Overloaded", data: { status: 529 } });
  await expect(bridge.prompt(session, { fail: "out of nothing" })).rejects.toMatchObject({
    message: "out of nothing",
  });
  await expect(
    bridge.prompt(session, ...say(assistant(text("?"))), { fail: "" }),
  ).rejects.toThrow();
  expect(await bridge.prompt(session, ...say(done))).toMatchObject({ stopReason: "end_turn" });
});

test("a turn is answered only when its process is gone, even a stubborn one", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  const turn = bridge.prompt(session, { child: "stubborn" }, { fail: "broken off" });
  await expect(turn).rejects.toThrow("broken off");
  expect(childOf(bridge.process.pid)).toBeUndefined();
});

test("a result does not end the turn while another turn is queued", async () => {
  const bridge = await startBridge(place);
  const first = { ...done, stop_reason: "max_tokens", queued_turn_count: 1 };
  const script = say(first, assistant(text("And more.")), done);
  const reply = await bridge.prompt(await bridge.newSession(), ...script);
  expect(reply.stopReason).toBe("end_turn");
  expect(textOf(bridge.updates)).toBe("And more.");
});

test("an exception that the SDK fails to catch is reported, and the turn continues", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  const reply = await bridge.prompt(session, { stray: "left alone" }, ...say(done));
  expect(reply.stopReason).toBe("end_turn");
  await expect.poll(() => bridge.stderr.match(/left alone/g)).toHaveLength(2);
  expect(await bridge.prompt(session, ...say(done))).toMatchObject({ stopReason: "end_turn" });
});

test("a second prompt or load during a turn is refused, and so is an unknown session", async () => {
  const bridge = await startBridge(place);
  const session = await bridge.newSession();
  const first = bridge.prompt(session, ...say(assistant(text("One."))), { wait: "interrupt" });
  await bridge.update(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  await expect(bridge.prompt(session, ...say(done))).rejects.toMatchObject({ code: -32600 });
  await expect(bridge.load(session)).rejects.toMatchObject({ code: -32600 });
  await bridge.cancel(session);
  await first;
  await expect(bridge.prompt("elsewhere", ...say(done))).rejects.toMatchObject({ code: -32002 });
});

const waiting = [...say(assistant(text("Here."))), { wait: "deaf" } as const];
const childOf = (pid: number | undefined) => listProcesses().find(({ parent }) => parent === pid);
const isThere = () => processesMarked(`MARK=${place.state}`).size > 0;

test("the bridge's child is in its process group, and gone when the group is killed", async () => {
  const bridge = await startBridge(place);
  void bridge.prompt(await bridge.newSession(), ...waiting);
  await bridge.update(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
  expect(childOf(bridge.process.pid)?.group).toBe(bridge.process.pid);
  await bridge.kill();
  await expect.poll(isThere).toBe(false);
});

test.each(["stdin", "SIGTERM"] as const)(
  "the bridge asks its child to end when it ends: %s",
  async (how) => {
    const bridge = await startBridge(place);
    void bridge.prompt(await bridge.newSession(), { child: "polite" }, ...waiting);
    await bridge.update(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
    if (how === "stdin") bridge.process.stdin?.end();
    else bridge.process.kill(how);
    expect(await bridge.exited).toBe(how === "stdin" ? 0 : 143);
    expect(readFileSync(join(place.config, "ended"), "utf8")).toBe("asked\n");
    await expect.poll(isThere).toBe(false);
  },
);

const runOnce = (env: Record<string, string>) => {
  const { command, args } = claudeBridge(fakeSdk, place.state);
  return spawnSync(command, args, { env, encoding: "utf8", input: "" });
};

test("the bridge reports an unusable SDK and exits with 1", () => {
  const usual = claudeBridge(fakeSdk, place.state).env;
  const other = temporaryDirectory();
  writeFileSync(join(other, "package.json"), readFileSync(join(fakeSdk, "package.json")));
  const cases: [Record<string, string>, string][] = [
    [{}, "HOLDFAST_CLAUDE_SDK is not set"],
    [{ HOLDFAST_CLAUDE_SDK: fakeSdk }, "HOLDFAST_AGENT_STATE is not set"],
    [{ ...usual, HOLDFAST_CLAUDE_SDK: "/nowhere" }, "set HOLDFAST_CLAUDE_SDK to its directory"],
    [{ ...usual, HOLDFAST_CLAUDE_SDK: other }, "set HOLDFAST_CLAUDE_SDK to its directory"],
  ];
  for (const [env, words] of cases) {
    const { status, stderr } = runOnce(env);
    expect(stderr).toContain(words);
    expect(status).toBe(1);
  }
  expect(runOnce(usual).status).toBe(0);
});
