import type { SessionId } from "@holdfast/protocol";
import { expect, test } from "vitest";
import type { AgentSays } from "../agents/agent.ts";
import { bareAgent } from "../testing/bare-agent.ts";
import { fillDisk } from "../testing/full-disk.ts";
import { done, type Script, scriptedAgent, text } from "../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";

async function start(script: Script) {
  const agent = scriptedAgent("demo", script);
  const host = await testHost({ agents: [agent] });
  const id = await host.newSession();
  return { agent, host, id };
}

const send = (host: TestHost, id: SessionId) =>
  host.sessions.execute(id, "prompt", { content: "do it" });

const stallsOnce: Script = ({ attempt }) =>
  attempt === 1 ? [text("half"), { type: "stall", deaf: true }] : [text("whole"), done()];

test("a pause ends an agent inside the process, and a resume lets its run go on", async () => {
  const { agent, host, id } = await start(stallsOnce);
  await send(host, id);
  await host.until(id, "attempt.accepted");
  await host.runtimes.pause(id);
  expect(host.runtimes.live).toBe(0);
  const { run, runtime } = await host.sessions.state(id);
  expect(run).toMatchObject({ paused: "explicit", outcome: null });
  expect(runtime.state).toBe("none");
  expect(await host.runtimes.revive(id, "revive").done).toMatchObject({ rung: "fresh" });
  await host.until(id, "run.completed");
  expect(agent.prompts.map(({ attempt, way }) => [attempt, way])).toEqual([
    [1, "prompt"],
    [2, "continue"],
  ]);
  expect((await host.sessions.state(id)).paused).toBeNull();
});

test("a revive after a restart is recorded once, and the agent starts with the next prompt", async () => {
  const first = await start(() => [done()]);
  await send(first.host, first.id);
  await first.host.until(first.id, "run.completed");
  const host = await first.host.crash();
  const asked = [1, 2, 3].map(() => host.runtimes.revive(first.id, "revive").done);
  for (const resumed of await Promise.all(asked)) expect(resumed).toMatchObject({ rung: "fresh" });
  expect(await host.runtimes.revive(first.id, "revive").done).toBeNull();
  const kinds = (await host.events(first.id)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === "session.resumed")).toHaveLength(1);
  expect(first.agent.prompts).toHaveLength(1);
});

test("a revive that a full disk failed is recorded as failed, and the next one succeeds [P8]", async () => {
  const first = await start(() => [done()]);
  await send(first.host, first.id);
  await first.host.until(first.id, "run.completed");
  const host = await first.host.crash();
  const free = fillDisk(host.journal, "session.resumed");
  const revive = () => host.runtimes.revive(first.id, "revive").done;
  await expect(revive()).rejects.toMatchObject({ code: "journal_full" });
  free();
  expect(await revive()).toMatchObject({ rung: "fresh" });
  expect((await host.events(first.id)).map(({ kind }) => kind)).toContain("session.revive_failed");
});

test("a revive of an idle session starts nothing, because its agent starts with a prompt", async () => {
  const { agent, host, id } = await start(() => [done()]);
  await send(host, id);
  await host.until(id, "run.completed");
  expect(await host.runtimes.revive(id, "revive").done).toBeNull();
  expect(agent.prompts).toHaveLength(1);
  await expect.poll(() => host.runtimes.live).toBe(0);
});

test("an agent whose stream throws fails the run with the reason, and is killed first", async () => {
  const kills: number[] = [];
  const agent = {
    name: "demo",
    prompt: () => ({
      says: (async function* () {
        yield { type: "accepted" } as const;
        throw new Error("a broken stream");
      })(),
      answer: () => undefined,
      resume: () => undefined,
      cancel: () => undefined,
      kill: async () => void kills.push((await host.sessions.state(id)).run?.outcome ? 1 : 0),
    }),
  };
  const host = await testHost({ agents: [agent] });
  const id = await host.newSession();
  await send(host, id);
  const { error } = await host.until(id, "run.failed");
  expect(error).toMatchObject({ code: "internal", message: "a broken stream" });
  expect(kills).toEqual([0]);
});

test("an agent whose kill throws is reported, and the end of its session kills it again", async () => {
  let kills = 0;
  const agent = bareAgent([{ type: "accepted" }], () => ({
    cancel: () => undefined,
    kill() {
      kills++;
      throw new TypeError("a bug");
    },
  }));
  const host = await testHost({ agents: [agent] });
  const id = await host.newSession();
  const { state } = await send(host, id);
  await host.until(id, "attempt.accepted");
  await host.sessions.execute(id, "cancel", { runId: state.run?.id ?? "" });
  const errors = () => {
    host.clock.advance(5_000);
    return host.errors;
  };
  await expect.poll(errors).toMatchObject([{ message: "a bug" }]);
  expect([agent.launches, kills]).toEqual([1, 1]);
  void host.runtimes.end(id);
  await expect.poll(() => kills).toBe(2);
});

test("an agent that a pause cannot end is not said to be gone until it is", async () => {
  const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
  const says: AgentSays[] = [{ type: "ready", agentSessionId: null }, { type: "accepted" }];
  const agent = bareAgent(says, (end) => ({ kill: () => killed.then(end) }));
  const host = await testHost({ agents: [agent] });
  const id = await host.newSession();
  await send(host, id);
  await host.until(id, "attempt.accepted");
  const pausing = host.runtimes.pause(id).catch((error: unknown) => error);
  await host.until(id, "session.paused");
  const result = async () => {
    host.clock.advance(host.policy.killLimit);
    return Promise.race([pausing, Promise.resolve("waits")]);
  };
  await expect.poll(result).toMatchObject({ code: "unreachable" });
  expect((await host.events(id)).map(({ kind }) => kind)).not.toContain("agent.exited");
  kill();
  await host.until(id, "agent.exited");
  await expect.poll(() => host.runtimes.live).toBe(0);
});
