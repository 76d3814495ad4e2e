import { deriveStatus, type Event, HostError, type SessionId } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import type { HolderLiveness } from "../holder/host-side/liveness.ts";
import { bareAgent } from "../testing/bare-agent.ts";
import { fillDisk } from "../testing/full-disk.ts";
import { openMemoryJournal } from "../testing/memory-journal.ts";
import { noHolders } from "../testing/no-holders.ts";
import { done, type Script, type Step, scriptedAgent, text } from "../testing/scripted-agent.ts";
import { type TestHost, testHost } from "../testing/test-host.ts";
import type { HolderRecovery } from "./recovery.ts";
import { presentToken } from "./secrets.ts";

const kinds = (events: readonly Event[]) => events.map(({ kind }) => kind);
const count = (events: readonly Event[], kind: string) =>
  events.filter((event) => event.kind === kind).length;

const midRun: Step[] = [
  text("so far"),
  { type: "tool_started", toolCallId: "t1", name: "bash", input: { cmd: "make" }, gated: false },
  { type: "stall" },
];
const asking: Script = ({ attempt }) => [
  {
    type: "tool_started",
    toolCallId: `t${attempt}`,
    name: "bash",
    input: { cmd: "rm x" },
    gated: false,
  },
  {
    type: "ask",
    toolCallId: `t${attempt}`,
    toolName: "bash",
    input: { cmd: "rm x" },
    allowed: [
      { type: "tool_finished", toolCallId: `t${attempt}`, status: "completed", output: "gone" },
    ],
    denied: [],
  },
  done(),
];

async function running(script: Script, options: Parameters<typeof testHost>[0] = {}) {
  const agent = scriptedAgent("demo", script);
  const host = await testHost({ agents: [agent], ...options });
  const id = await host.newSession();
  const { state } = await host.sessions.execute(id, "prompt", { content: "do it" });
  return { agent, host, id, runId: state.run?.id ?? "" };
}

const status = async (host: TestHost, id: SessionId) =>
  deriveStatus(await host.sessions.state(id), { epoch: host.sessions.epoch });

describe("a crash in the middle of a run", () => {
  test("[R002-3] [R002-28] [R002-29] [R002-30] [R002-31] [R002-44] [R002-51] [R002-61] is found once, before anyone is served", async () => {
    const { host, id } = await running(() => midRun);
    await host.until(id, "tool.started");
    const next = await host.crash();
    expect(next.bootId).not.toBe(host.bootId);
    expect(next.recovery.interrupted).toEqual([id]);
    const events = await next.events(id);
    expect(count(events, "run.interrupted")).toBe(1);
    expect(events.find((event) => event.kind === "run.interrupted")).toMatchObject({
      reason: "process_restart",
      bootId: next.bootId,
    });
    expect(events.at(-1)).toMatchObject({ kind: "status.derived", status: "interrupted_startup" });
    expect((await status(next, id)).status).toBe("interrupted_startup");
  });

  test("[F3] [R002-32] [P12] further restarts append no events, also when one dies in the middle of recovery", async () => {
    const { host, id } = await running(() => midRun);
    await host.until(id, "tool.started");
    // Two boots at once: the older one is fenced, wherever its recovery stands.
    const [first, second] = await Promise.allSettled([host.crash(), host.crash()]);
    expect(second.status).toBe("fulfilled");
    expect(first).toSatisfy((life) => life.status === "fulfilled" || life.reason.code === "fenced");
    const third = await host.crash();
    const settled = await third.events(id);
    expect(count(settled, "run.interrupted")).toBe(1);
    expect(settled.at(-1)?.kind).toBe("status.derived");
    const fourth = await third.crash();
    expect(await fourth.events(id)).toEqual(settled);
  });

  test("[RX-3] [RX-4] [F7] open tool calls get exactly one result, which says unknown", async () => {
    const { host, id } = await running(() => midRun);
    await host.until(id, "tool.started");
    const next = await (await host.crash()).crash();
    const results = (await next.events(id)).filter((event) => event.kind === "tool.finished");
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ toolCallId: "t1", status: "unknown", synthetic: true });
    const { transcript } = await next.sessions.open(id);
    const parts = transcript.messages.at(-1)?.contentParts;
    expect(parts).toMatchObject([
      { type: "text", text: "so far" },
      { type: "tool", status: "unknown" },
    ]);
  });

  test("the session takes prompts, and a new message ends the status `interrupted_startup`", async () => {
    const { host, id } = await running(({ content }) => (content === "go on" ? [done()] : midRun));
    await host.until(id, "tool.started");
    const next = await host.crash();
    await next.sessions.execute(id, "prompt", { content: "go on" });
    await next.until(id, "run.completed");
    expect((await status(next, id)).status).toBe("idle");
  });

  test("[F25] queued messages survive, in order, and stay parked after the interruption", async () => {
    const { agent, host, id } = await running(() => midRun);
    for (const content of ["a", "b", "c"]) {
      await host.sessions.execute(id, "prompt", { content, clientId: content });
    }
    await host.until(id, "tool.started");
    const next = await host.crash();
    expect((await next.sessions.state(id)).queue.map(({ content }) => content)).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(agent.prompts).toHaveLength(1);
  });

  test("a prompt that was not accepted is delivered after the restart, once, as the same run", async () => {
    const agent = scriptedAgent("demo", () => [done()]);
    const host = await testHost();
    const id = await host.newSession({ agentName: "demo" });
    await host.runner.stop();
    const { state } = await host.sessions.execute(id, "prompt", { content: "do it" });
    const next = await host.crash({ agents: [agent] });
    await next.until(id, "run.completed");
    const events = await next.events(id);
    expect(count(events, "run.started")).toBe(1);
    expect(count(events, "run.interrupted")).toBe(0);
    expect(agent.prompts.map(({ runId }) => runId)).toEqual([state.run?.id]);
  });

  test("a cancel that was durable before the crash is delivered after the restart", async () => {
    const { host, id, runId } = await running(() => [text("x"), { type: "stall", deaf: true }]);
    await host.until(id, "attempt.accepted");
    await host.sessions.execute(id, "cancel", { runId });
    const next = await host.crash();
    const events = await next.events(id);
    expect(count(events, "run.cancelled")).toBe(1);
    expect(count(events, "run.interrupted")).toBe(0);
  });
});

describe("a crash while a person is asked", () => {
  test("[P19] the question survives ten restarts and is answered once; the same run goes on with the answer", async () => {
    const { agent, host, id, runId } = await running(asking);
    const { approvalId } = await host.until(id, "approval.requested");
    await host.until(id, "token.minted");
    let life = host;
    for (let n = 0; n < 10; n++) life = await life.crash();
    expect(life.recovery.waiting).toEqual([id]);
    expect((await status(life, id)).status).toBe("waiting");
    expect(count(await life.events(id), "run.interrupted")).toBe(0);

    const answers = ["ann", "bob", "eve"].map((by, n) =>
      life.sessions.execute(id, "decide", {
        runId,
        approvalId,
        by,
        decision: n === 0 ? "allow" : "deny",
      }),
    );
    const told = await Promise.all(answers);
    expect(told.map(({ state }) => state.run?.approvals[0]?.by)).toEqual(["ann", "ann", "ann"]);
    await life.until(id, "run.completed");
    expect(agent.prompts.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(agent.prompts[1]?.carried).toMatchObject([{ toolName: "bash", decision: "allow" }]);
    const events = await life.events(id);
    expect(events.filter((event) => event.kind === "run.started")).toHaveLength(1);
    expect(events.findLast((event) => event.kind === "approval.decided")).toMatchObject({
      carriedFrom: approvalId,
    });
  });

  test("[R002-4] [R002-40] [R002-53] its token works after the restart, once, and the winner's retry gets the same answer", async () => {
    const { host, id, runId } = await running(asking);
    const { approvalId } = await host.until(id, "approval.requested");
    await host.until(id, "token.minted");
    const token = presentToken(host.tokens[0] ?? "");
    if (token instanceof HostError) throw token;
    const next = await host.crash();
    const decide = (key: string) =>
      next.sessions.execute(id, "decide", {
        runId,
        approvalId,
        token,
        key,
        by: "link",
        decision: "allow",
      });
    const [first, second] = await Promise.allSettled([decide("k1"), decide("k2")]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ status: "rejected", reason: { code: "token_consumed" } });
    expect((await decide("k1")).events).toEqual([]);
    expect(count(await next.events(id), "token.consumed")).toBe(1);
  });

  test("[R002-34] [R002-35] a deadline that passed while no host ran fires a minute after ready, not before", async () => {
    const deadlineAt = "2026-01-01T00:10:00.000Z";
    const { host, id } = await running(() => [{ type: "await", kind: "external", deadlineAt }]);
    await host.until(id, "run.waiting");
    host.clock.advance(60 * 60_000);
    const next = await host.crash({ policy: { sweep: 24 * 3600_000 } });
    await next.sweep();
    expect((await status(next, id)).status).toBe("waiting");
    next.clock.advance(59_000);
    await next.sweep();
    expect((await status(next, id)).status).toBe("waiting");
    next.clock.advance(1000);
    await next.sweep();
    expect((await status(next, id)).status).toBe("interrupted_waiting");
    const events = await next.events(id);
    expect(count(events, "run.interrupted")).toBe(1);
    expect(kinds(events).indexOf("token.revoked")).toBeGreaterThan(0);
  });
});

test("a result posted while everything was dead reaches the same run in a new attempt, also through a crash right after", async () => {
  const deadlineAt = "2026-01-01T10:00:00.000Z";
  const { agent, host, id, runId } = await running(({ attempt }) =>
    attempt === 1 ? [{ type: "await", kind: "external", deadlineAt }] : [done()],
  );
  await host.until(id, "token.minted");
  const quiet = await host.crash({ agents: [] });
  await quiet.runner.stop();
  await quiet.sessions.execute(id, "resumeWait", { runId, by: "webhook", result: { ok: 1 } });
  const next = await quiet.crash({ agents: [agent] });
  expect(next.recovery.continued).toEqual([id]);
  await next.until(id, "run.completed");
  expect(agent.prompts.map(({ attempt, results }) => ({ attempt, results }))).toEqual([
    { attempt: 1, results: [] },
    { attempt: 2, results: [{ ok: 1 }] },
  ]);
  const events = await next.events(id);
  expect(count(events, "run.interrupted")).toBe(0);
  expect(count(events, "result.delivered")).toBe(1);
});

describe("holders", () => {
  interface Scene {
    verdict: HolderLiveness;
    spool?: (host: TestHost) => Promise<void>;
  }

  /** A run in a holder of which only the verdict is known. */
  async function held(scene: Scene) {
    const host = await testHost();
    const id = await host.newSession();
    await host.runner.stop();
    const { state } = await host.sessions.execute(id, "prompt", { content: "do it" });
    const runId = state.run?.id ?? "";
    const holderId = host.sessions.newId("holder");
    await host.sessions.execute(id, "launchHolder", { holderId });
    await host.sessions.execute(id, "agentReady", { agentSessionId: "a1", holderId });
    await host.sessions.execute(id, "accept", { runId, attempt: 1, holderId });
    const tool = { toolCallId: "t1", name: "bash", input: {}, gated: false } as const;
    const output = [
      { type: "text", text: "half" } as const,
      { type: "tool_started", ...tool } as const,
    ];
    await host.sessions.execute(id, "record", { runId, attempt: 1, output });
    const calls: string[] = [];
    const holders: HolderRecovery = {
      async probe(_session, asked) {
        calls.push(asked === holderId ? "probe" : "probe another");
        return scene.verdict;
      },
      async adopt() {
        calls.push("adopt");
      },
      async drain() {
        calls.push("drain");
      },
      contents: async () => null,
    };
    const next = await host.crash({ holders, policy: { sweep: 24 * 3600_000 } });
    return { next, id, runId, calls, scene };
  }

  test("[R002-33] a host opens only after every open run was judged, so that no request is served earlier", async () => {
    const { next: host, id } = await held({ verdict: "unknown" });
    const verdict = Promise.withResolvers<HolderLiveness>();
    const asked = Promise.withResolvers<void>();
    const holders: HolderRecovery = {
      ...noHolders,
      probe() {
        asked.resolve();
        return verdict.promise;
      },
    };
    const opening = host.crash({ holders });
    await asked.promise;
    await settled();
    expect(await Promise.race([opening, "not open yet"])).toBe("not open yet");
    verdict.resolve("dead");
    const next = await opening;
    expect(await status(next, id)).toMatchObject({ status: "interrupted_startup" });
  });

  test("a living holder is adopted: the run was never interrupted", async () => {
    const { next, id, calls } = await held({ verdict: "alive" });
    expect(next.recovery.adopted).toEqual([id]);
    expect(calls).toEqual(["probe", "adopt"]);
    await settled();
    const events = await next.events(id);
    expect(count(events, "run.adopted")).toBe(1);
    expect(count(events, "run.interrupted")).toBe(0);
    expect(await status(next, id)).toMatchObject({ status: "running", stale: false });
  });

  test("an adopted run is its holder's: no cancel, restart or undelivered prompt starts an agent beside it", async () => {
    const agent = scriptedAgent("demo", () => [done()]);
    const host = await testHost();
    const id = await host.newSession();
    await host.runner.stop();
    const { state } = await host.sessions.execute(id, "prompt", { content: "do it" });
    const holderId = host.sessions.newId("holder");
    await host.sessions.execute(id, "launchHolder", { holderId });
    await host.sessions.execute(id, "agentReady", { agentSessionId: null, holderId });
    const alive: HolderRecovery = { ...noHolders, probe: async () => "alive" };
    const next = await host.crash({ agents: [agent], holders: alive });
    await settled();
    await next.sessions.execute(id, "cancel", { runId: state.run?.id ?? "" });
    await settled();
    expect(agent.prompts).toHaveLength(0);
    expect((await next.sessions.state(id)).run?.outcome).toBeNull();
  });

  test("a prompt that a dead holder never took is delivered by this host", async () => {
    const agent = scriptedAgent("demo", () => [done()]);
    const host = await testHost();
    const id = await host.newSession();
    await host.runner.stop();
    await host.sessions.execute(id, "prompt", { content: "do it" });
    await host.sessions.execute(id, "launchHolder", { holderId: host.sessions.newId("holder") });
    const next = await host.crash({ agents: [agent] });
    await next.until(id, "run.completed");
    expect(count(await next.events(id), "holder.exited")).toBe(1);
  });

  test("a dead holder's spool is drained before its run may be interrupted", async () => {
    const { next, id, calls } = await held({ verdict: "dead" });
    expect(calls).toEqual(["probe", "drain"]);
    expect(count(await next.events(id), "run.interrupted")).toBe(1);
  });

  test("a holder that cannot be proved dead leaves the run open, and is settled later", async () => {
    const { next, id, runId, calls, scene } = await held({ verdict: "unknown" });
    expect(next.recovery.unreachable).toEqual([id]);
    expect(await status(next, id)).toMatchObject({
      status: "running",
      runStatus: "paused",
      pausedReason: "unreachable",
      runtime: "unreachable",
    });
    const revive = next.sessions.execute(id, "revive", {});
    await expect(revive).rejects.toMatchObject({ code: "unreachable" });
    await next.sweep();
    expect(count(await next.events(id), "run.unreachable")).toBe(1);
    scene.verdict = "dead";
    await next.sweep();
    expect(calls.at(-1)).toBe("drain");
    expect((await next.sessions.state(id)).run).toMatchObject({
      id: runId,
      outcome: "interrupted",
    });
  });

  test("a probe that hangs is unknown after two seconds: boot goes on", async () => {
    const { host, id } = await running(() => midRun);
    await host.until(id, "tool.started");
    const holderId = host.sessions.newId("holder");
    await host.sessions.execute(id, "launchHolder", { holderId });
    const never = new Promise<HolderLiveness>(() => undefined);
    const asked = Promise.withResolvers<void>();
    const holders: HolderRecovery = {
      probe() {
        asked.resolve();
        return never;
      },
      adopt: async () => undefined,
      drain: async () => undefined,
      contents: async () => null,
    };
    const booting = host.crash({ holders });
    await asked.promise;
    host.clock.advance(2000);
    expect((await booting).recovery.unreachable).toEqual([id]);
  });
});

describe("a session that cannot be settled", () => {
  /** Two runs, the first with a holder, in a host that crashed. */
  async function two() {
    const agent = scriptedAgent("demo", () => midRun);
    const host = await testHost({ agents: [agent], policy: { sweep: 24 * 3600_000 } });
    const [held, other] = [await host.newSession(), await host.newSession()];
    for (const id of [held, other]) {
      await host.sessions.execute(id, "prompt", { content: "do it" });
      await host.until(id, "tool.started");
    }
    await host.sessions.execute(held, "launchHolder", { holderId: host.sessions.newId("holder") });
    return { host, held, other };
  }

  test.each(["adopt", "drain"] as const)(
    "because %s throws does not stop the boot, and the sweep settles it",
    async (part) => {
      const { host, held, other } = await two();
      let broken = true;
      const act = async () => {
        if (broken) throw new Error("no such socket");
      };
      const probe = async (): Promise<HolderLiveness> => (part === "adopt" ? "alive" : "dead");
      const next = await host.crash({ holders: { ...noHolders, probe, [part]: act } });
      expect(next.recovery).toMatchObject({ failed: [held], interrupted: [other] });
      expect(next.errors).toMatchObject([{ message: "no such socket" }]);
      expect(count(await next.events(held), "run.adopted")).toBe(0);
      await next.sweep();
      expect(next.errors).toHaveLength(2);
      broken = false;
      await next.sweep();
      const events = await next.events(held);
      expect(count(events, part === "adopt" ? "run.adopted" : "run.interrupted")).toBe(1);
      await next.sweep();
      expect(await next.events(held)).toEqual(events);
    },
  );

  test("because the disk is full does not stop the boot, and freeing space is enough", async () => {
    const { host, held, other } = await two();
    const journal = await openMemoryJournal(host.disk);
    const free = fillDisk(journal, "holder.exited");
    const next = await host.crash({ journal });
    expect(next.recovery).toMatchObject({ failed: [held], interrupted: [other] });
    expect(next.errors).toMatchObject([{ code: "journal_full" }]);
    free();
    await next.sweep();
    expect((await next.sessions.state(held)).run?.outcome).toBe("interrupted");
  });
});

test("a close keeps what a crash keeps: a prompt that was not accepted is delivered after the restart", async () => {
  const host = await testHost({ agents: [bareAgent([])] });
  const id = await host.newSession();
  await host.sessions.execute(id, "prompt", { content: "do it" });
  await settled();
  expect(host.runtimes.live).toBe(1);
  await host.close();
  const next = await host.crash({ agents: [scriptedAgent("demo", () => [done()])] });
  await next.until(id, "run.completed");
  expect(count(await next.events(id), "run.started")).toBe(1);
});

test("a close on a full disk fails no run: the next boot finds it interrupted, as after a crash", async () => {
  const { host, id } = await running(() => [text("so far"), { type: "stall" }]);
  await host.until(id, "attempt.accepted");
  await settled();
  fillDisk(host.journal, "text.appended");
  await host.close();
  const next = await host.crash();
  expect(next.recovery.interrupted).toEqual([id]);
});

/** Runs everything that is ready; no timer is awaited. */
async function settled(): Promise<void> {
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
}

test("[P15] a boot looks at open runs alone: its work does not grow with the sessions there are", async () => {
  const host = await testHost();
  await host.runner.stop();
  for (let n = 0; n < 300; n++) await host.newSession();
  const open = await host.newSession();
  await host.sessions.execute(open, "prompt", { content: "do it" });
  const next = await host.crash();
  expect(next.sessions.loaded).toBe(1);
  expect(next.recovery.interrupted).toEqual([]);
});

test("[R002-1] two boots that read the same journal derive the same state, whatever the first one held in memory", async () => {
  const { host, id } = await running(() => midRun);
  await host.until(id, "tool.started");
  const next = await host.crash();
  const seen = await next.sessions.state(id);
  const third = await next.crash();
  expect(await third.sessions.state(id)).toEqual(seen);
});
