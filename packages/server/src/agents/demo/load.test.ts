import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cleanUp, drive, temporaryDirectory, textOf } from "./testing/drive.ts";

let cwd: string;
let state: string;

beforeEach(() => {
  cwd = temporaryDirectory();
  state = temporaryDirectory();
});
afterEach(cleanUp);

const toolIds = (updates: readonly SessionUpdate[], kind: "tool_call" | "tool_call_update") => [
  ...new Set(updates.flatMap((one) => (one.sessionUpdate === kind ? [one.toolCallId] : []))),
];

test("a new process replays the conversation and goes on with it", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, "Make it right");
  await first.prompt(session, "/say nothing much");
  first.endStdin();
  expect(await first.exited).toBe(0);

  const second = await drive({ cwd, state });
  await second.load(session);
  expect(textOf(second.updates, "user_message_chunk")).toBe("Make it right/say nothing much");
  expect(textOf(second.updates)).toBe(textOf(first.updates));
  for (const kind of ["tool_call", "tool_call_update"] as const) {
    expect(toolIds(second.updates, kind)).toEqual(toolIds(first.updates, kind));
  }
  await second.prompt(session, "What now?");
  expect(textOf(second.updates)).toContain("This is turn 3 of our conversation.");
});

test("after kill -9 in the middle of a turn, the load shows what came before", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, "/say before");
  const killed = first.prompt(session, "/count=40 /stall");
  await first.update((update) => update.sessionUpdate === "tool_call");
  await first.kill("SIGKILL");
  await expect(killed).rejects.toThrow("closed");

  const second = await drive({ cwd, state });
  await second.load(session);
  expect(textOf(second.updates)).toMatch(/^before<1> <2>.*<40>$/);
  expect(toolIds(second.updates, "tool_call")).toHaveLength(1);
  expect(toolIds(second.updates, "tool_call_update")).toHaveLength(0);
});

test("a request that is repeated after kill -9 is the same turn", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, "/say before");
  first.answer = () => new Promise(() => undefined);
  const killed = first.prompt(session, "Make it right");
  await first.update((update) => update.sessionUpdate === "plan");
  await first.kill("SIGKILL");
  await expect(killed).rejects.toThrow("closed");

  const second = await drive({ cwd, state });
  await second.load(session);
  const again = "The request you were working on:\n---\nMake it right\n---\nContinue.";
  await second.prompt(session, again);
  await second.prompt(session, "Make it right");
  const counted = [...textOf(second.updates).matchAll(/This is turn (\d)/g)];
  expect(counted.map(([, n]) => n)).toEqual(["2", "3"]);
});

test("a line that was being written when it was killed is cut off, and the next one is whole", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, "/say one");
  await first.kill("SIGKILL");
  appendFileSync(join(state, `${session}.jsonl`), '{"type":"text","te');

  const second = await drive({ cwd, state });
  await second.load(session);
  await second.prompt(session, "/say two");
  const third = await drive({ cwd, state });
  await third.load(session);
  expect(textOf(third.updates)).toBe("onetwo");
});

test("an unknown session is not found, and leaves no files behind", async () => {
  const agent = await drive({ cwd, state });
  for (const sessionId of ["5f6e8a52-0000-4000-8000-000000000000", "../../etc/passwd"]) {
    const refusal = { code: -32002, data: { sessionId } };
    await expect(agent.load(sessionId)).rejects.toMatchObject(refusal);
  }
  expect(readdirSync(state)).toEqual([]);
});

test("without a directory of its own for it, the transcript lies inside .git, line by line", async () => {
  const agent = await drive({ cwd });
  const session = await agent.newSession();
  await agent.prompt(session, "/say hello /ask");
  const path = join(cwd, ".git/holdfast-demo", `${session}.jsonl`);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).type)).toEqual([
    "opened",
    "user",
    "text",
    "tool_started",
    "tool_finished",
    "text",
    "ended",
  ]);
});

test("/forget: the next load knows only the beginning", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  for (const word of ["one", "two", "three", "four"]) await first.prompt(session, `/say ${word}`);
  await first.prompt(session, "/forget");

  for (let load = 1; load <= 2; load++) {
    const later = await drive({ cwd, state });
    await later.load(session);
    expect(textOf(later.updates)).toBe("onetwo");
    await later.kill("SIGKILL");
  }
});

test("/ahead: the next load replays output that was never sent, and the last call has no end", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, "/say one /ahead=2");
  expect(textOf(first.updates)).toBe("one");
  expect(toolIds(first.updates, "tool_call")).toEqual([]);

  const second = await drive({ cwd, state });
  await second.load(session);
  expect(textOf(second.updates)).toBe("one And so I go on.");
  expect(toolIds(second.updates, "tool_call")).toHaveLength(2);
  expect(toolIds(second.updates, "tool_call_update")).toHaveLength(1);
});

test("/orphan keeps writing to the transcript of an agent that was killed, until it is killed too", async () => {
  const agent = await drive({ cwd, state });
  const session = await agent.newSession();
  await agent.prompt(session, "/orphan");
  const memory = () => readFileSync(join(state, `${session}.jsonl`), "utf8");
  const pid = Number(/Process (\d+)/.exec(textOf(agent.updates))?.[1]);
  try {
    expect(memory()).not.toContain("still");
    await agent.kill("SIGKILL");
    await expect.poll(memory, { timeout: 10_000 }).toContain(" (still 2)");
  } finally {
    process.kill(pid, "SIGKILL");
  }
});

test.each([
  ["empty", "", []],
  ["late", "", ["one"]],
  ["warns", "oneWarning: what I say here is no part of it.\n", []],
] as const)("/lie=%s is told in the replay", async (lie, before, after) => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, `/say one /lie=${lie}`);
  const second = await drive({ cwd, state });
  await second.load(session);
  expect(textOf(second.updates).replace(/My next process.*\n/, "")).toBe(before);
  for (const text of after) await second.update((update) => textOf([update]).includes(text));
});

test.each([
  ["dies", 1],
  ["hangs", "SIGKILL"],
] as const)("/lie=%s: no load is answered", async (lie, end) => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, `/say one /lie=${lie}`);
  const second = await drive({ cwd, state });
  const loading = second.load(session);
  loading.catch(() => undefined);
  // `initialize` is sent after the load, so its response shows that the process has received the
  // load.
  if (lie === "hangs") await second.initialize().then(() => second.kill("SIGKILL"));
  await expect(loading).rejects.toThrow("closed");
  expect(await second.exited).toBe(end);
});

test("/lie=flaky fails the first load and no other", async () => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, "/lie=flaky");
  const second = await drive({ cwd, state });
  await expect(second.load(session)).rejects.toMatchObject({ code: -32603 });
  await second.load(session);
});

test.each([
  { lie: "/lie", advertised: false, known: "loads", unknown: -32002 },
  { lie: "/lie=unknown", advertised: true, known: "loads", unknown: "loads" },
  { lie: "/lie=capability", advertised: true, known: -32601, unknown: -32601 },
  { lie: "/lie=params", advertised: true, known: -32602, unknown: -32602 },
  { lie: "/lie=auth", advertised: true, known: -32000, unknown: -32000 },
  { lie: "/lie=error", advertised: true, known: -32603, unknown: -32603 },
  { lie: "/lie=none", advertised: true, known: "loads", unknown: -32002 },
])("$lie is told by the next process", async ({ lie, advertised, known, unknown }) => {
  const first = await drive({ cwd, state });
  const session = await first.newSession();
  await first.prompt(session, lie);
  expect((await first.initialize()).agentCapabilities?.loadSession).toBe(true);

  const second = await drive({ cwd, state });
  expect((await second.initialize()).agentCapabilities?.loadSession).toBe(advertised);
  const outcome = (id: string) =>
    second.load(id).then(
      () => "loads",
      (error) => error.code,
    );
  expect(await outcome(session)).toBe(known);
  second.clear();
  expect(await outcome("unheard-of")).toBe(unknown);
  expect(second.updates).toEqual([]);
});
