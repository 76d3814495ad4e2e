import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Event,
  type EventOf,
  openRun,
  type SessionId,
  seedWords,
  sessionView,
} from "@holdfast/protocol";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { AgentRow } from "../agents/table/row.ts";
import type { AgentDefinition } from "../agents/table/table.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { identify, processesMarked } from "../base/processes.ts";
import { listHolders } from "../holder/host-side/list-holders.ts";
import { killHolder } from "../holder/host-side/liveness.ts";
import {
  demo,
  endPlaces,
  endSessions,
  isOutcome,
  openPlace as open,
  type Place,
  says,
  sharedPlace,
} from "./testing/place.ts";
import { answer, effects, heard } from "./testing/resuming.ts";

afterEach(endSessions);
afterAll(endPlaces);

async function lastMessage(p: Place, id: SessionId) {
  const { messages } = await p.sessions.transcript(id, (await p.sessions.state(id)).seq);
  return messages.at(-1);
}

describe("reviving", () => {
  test("a paused session comes back natively with its context, and active again [R001-35] [R001-37] [R004-3] [R004-23]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    await p.host?.runtimes.pause(id);
    expect((await p.status(id)).lifecycle).toBe("paused");
    await expect.poll(() => listHolders(join(p.data, "holders"))).toEqual([]);
    const resumed = await p.host?.runtimes.revive(id, "revive").done;
    expect(resumed).toMatchObject({ rung: "native" });
    expect((await p.status(id)).lifecycle).toBe("active");
    // The replay repeats the journal's history, so it is not written again.
    expect(await p.text(id)).toBe("first");
    expect(await p.of(id, "agent.spoke")).toEqual([]);
  });

  test("however many ask at once, one agent is launched, and all get its answer [P23] [F13] [R003-31] [R004-20]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    await p.host?.runtimes.pause(id);
    const asked = Array.from({ length: 50 }, () => p.host?.runtimes.revive(id, "revive").done);
    const answers = await Promise.all(asked);
    expect(new Set(answers.map((answer) => answer?.rung))).toEqual(new Set(["native"]));
    expect(await p.of(id, "holder.launched")).toHaveLength(2);
    expect(await p.of(id, "session.resumed")).toHaveLength(1);
  });

  test("a revive while the agent streams leaves it unchanged [F14] [R001-24]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/count=100");
    await p.until(id, says("<10>"));
    expect(await p.host?.runtimes.revive(id, "revive").done).toBeNull();
    await p.kind(id, "run.completed");
    expect(await p.text(id)).toMatch(/<100>$/);
    expect(await p.of(id, "holder.launched")).toHaveLength(1);
  });

  test("fresh forgets the agent's session and starts another [R004-32]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    const before = (await p.sessions.state(id)).runtime.agentSessionId;
    expect(await p.host?.runtimes.revive(id, "fresh").done).toMatchObject({ rung: "fresh" });
    expect((await p.sessions.state(id)).runtime.agentSessionId).not.toBe(before);
    expect(await p.of(id, "agent.session_retired")).toMatchObject([{ agentSessionId: before }]);
  });

  test("a launch that fails rolls back, says why, and the message can be sent again [F16] [F20] [R004-19]", async () => {
    let broken = true;
    const sound = demo();
    const flaky: AgentDefinition = {
      ...sound,
      launch: (place) =>
        broken ? { ...sound.launch(place), command: "/bin/false", args: [] } : sound.launch(place),
    };
    const p = await open({ definitions: [flaky] });
    const id = await p.create();
    await p.prompt(id, "/say hello");
    const failed = (await p.kind(id, "run.failed")) as Event & EventOf<"run.failed">;
    expect(failed.error).toMatchObject({ code: "launch_failed" });
    expect(await p.status(id)).toMatchObject({ status: "idle", runtime: "none" });
    const { epoch } = p.sessions;
    const shown = sessionView(await p.sessions.state(id), { epoch });
    expect(shown).toMatchObject({ word: "failed", need: { kind: "failed" } });
    expect(shown.happening).toMatchObject({ kind: "failed", text: failed.error.message });
    expect((await p.of(id, "session.revive_failed")).length).toBeGreaterThan(0);
    broken = false;
    await p.prompt(id, "/say again");
    await p.kind(id, "run.completed");
    expect(await p.text(id)).toBe("again");
    // The same for an agent that was up before: its session stays unchanged.
    await p.host?.runtimes.pause(id);
    const { seq } = await p.sessions.state(id);
    const { status, lifecycle } = await p.status(id);
    broken = true;
    await expect(p.host?.runtimes.revive(id, "revive").done).rejects.toThrow();
    const { error, ts: at } = await p.kind(id, "session.revive_failed", seq);
    expect(await p.status(id)).toMatchObject({ status, lifecycle, runtime: "none" });
    const { recovery, need } = sessionView(await p.sessions.state(id), { epoch });
    expect(recovery.reviveError).toEqual({ ...error, at });
    expect(need).toEqual({ kind: "failed", since: at });
  });

  test("a cancel that comes before the launch wins: no agent starts after it [F15]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/count=1000");
    await p.sessions.execute(id, "cancel", { runId });
    await p.kind(id, "run.cancelled");
    await p.host?.runtimes.revive(id, "revive", runId).done.catch(() => undefined);
    const kinds = (await p.events(id)).map(({ kind }) => kind);
    expect(kinds).not.toContain("attempt.accepted");
    expect(kinds.slice(kinds.indexOf("run.cancelled"))).not.toContain("holder.launched");
  });

  test("an agent's session id survives a host's restart; a prompt revives by it, once [R004-14] [R001-41]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    await p.host?.close();
    await p.open();
    expect(await p.status(id)).toMatchObject({ lifecycle: "paused", runtime: "none" });
    const { seq } = await p.sessions.state(id);
    await p.prompt(id, "how many turns?");
    const asked = await p.kind(id, "approval.requested", seq);
    await p.sessions.execute(id, "decide", {
      runId: asked.runId,
      approvalId: asked.approvalId,
      decision: "allow",
      by: "me",
    });
    await p.kind(id, "run.completed", seq);
    expect(await p.text(id)).toContain("This is turn 2");
    expect(await p.of(id, "session.resumed")).toMatchObject([{ rung: "native" }]);
  });

  test("a prompt that finds its runtime gone, unnoticed, revives it and is delivered again when it is ready [R004-15]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/say first");
    const { seq } = await p.kind(id, "run.completed");
    for (const dir of p.holders()) await killHolder(dir);
    const runId = await p.prompt(id, "/say second");
    expect(await p.until(id, isOutcome, seq)).toMatchObject({ kind: "run.completed", runId });
    expect(await p.text(id)).toBe("firstsecond");
    expect(heard(p, id)).toEqual(["/say first", "/say second"]);
    expect(await p.of(id, "session.resumed")).toMatchObject([{ rung: "native" }]);
  });
});

describe("a run in a holder", () => {
  test("what it says is whole and in order in a flood, and the queue goes on behind it [P29] [F25]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/flood=20000");
    for (const n of [1, 2, 3]) await p.prompt(id, `/say queued ${n}`);
    await p.until(id, says("queued 3"));
    await p.until(id, isOutcome, (await p.sessions.state(id)).seq - 1).catch(() => undefined);
    const { messages } = await p.sessions.transcript(id, (await p.sessions.state(id)).seq);
    const answers = messages.filter(({ role }) => role === "assistant");
    const [flood, ...rest] = answers.map(({ contentParts }) =>
      contentParts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    );
    const numbers = [...(flood ?? "").matchAll(/\d+/g)].map(([digits]) => Number(digits));
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    expect(numbers.length).toBe(20_000);
    expect(rest).toEqual(["queued 1", "queued 2", "queued 3"]);
  });

  test("a cancel stops it, the first of three; partial text is kept [R003-8] [R003-10] [P25]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    const runId = await p.prompt(id, "/count=2000");
    await p.until(id, says("<20>"));
    await Promise.all(
      [1, 2, 3].map((n) => p.sessions.execute(id, "cancel", { runId, by: `${n}` })),
    );
    await p.kind(id, "run.cancelled");
    expect(await p.of(id, "run.cancel_requested")).toHaveLength(1);
    expect(await p.text(id)).toContain("<20>");
    expect((await p.status(id)).runtime).toBe("live");
    await p.prompt(id, "/say after");
    await p.until(id, says("after"));
  });

  test("an agent that answered a cancel outlives the grace time, and so does its next run", async () => {
    const cancelGrace = 54_321;
    const graces: (() => void)[] = [];
    const real = systemClock();
    const after: Clock["after"] = (ms, call) => {
      if (ms !== cancelGrace) return real.after(ms, call);
      graces.push(call);
      return () => undefined;
    };
    const p = await open({ clock: { ...real, after }, policy: { cancelGrace } });
    const id = await p.create();
    const runId = await p.prompt(id, "/count=2000");
    await p.until(id, says("<20>"));
    await p.sessions.execute(id, "cancel", { runId });
    await p.kind(id, "run.cancelled");
    await p.prompt(id, "/ask /say after");
    const { runId: next, approvalId } = await p.kind(id, "approval.requested");
    expect(graces).not.toEqual([]);
    for (const over of graces) over();
    await p.sessions.execute(id, "decide", {
      runId: next,
      approvalId,
      decision: "allow",
      by: "me",
    });
    await expect.poll(() => p.of(id, "run.completed")).toHaveLength(1);
    expect(await p.of(id, "agent.exited")).toEqual([]);
  });

  test("an agent that is deaf to a cancel is killed after its grace, with what it started, and the session goes on [P25] [F19] [R003-9]", async () => {
    const p = await open({ policy: { cancelGrace: 200 } });
    const id = await p.create();
    const runId = await p.prompt(id, "/fork /deaf /count=5000");
    await p.until(id, says("<10>"));
    const pid = p.agentPid();
    const started = `HOLDFAST_HOLDER=${(await p.sessions.state(id)).runtime.holderId}`;
    expect(processesMarked(started).size).toBeGreaterThan(1);
    await p.sessions.execute(id, "cancel", { runId });
    await p.kind(id, "run.cancelled");
    expect(identify(pid)).toBeNull();
    await expect.poll(() => processesMarked(started).size).toBe(0);
    await p.prompt(id, "/say after");
    await p.until(id, says("after"));
  });

  test("every process an agent started ends with it: double fork, own session, deaf to signals [P24]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/fork");
    await p.kind(id, "run.completed");
    expect(existsSync(join(p.workspace(id), "orphan.log"))).toBe(true);
    const { holderId } = (await p.sessions.state(id)).runtime;
    expect(processesMarked(`HOLDFAST_HOLDER=${holderId}`).size).toBeGreaterThan(1);
    await p.host?.runtimes.pause(id);
    expect(processesMarked(`HOLDFAST_HOLDER=${holderId}`).size).toBe(0);
  });

  test("a failure keeps the partial text and is not tried again; a transient one is, within its budget [R003-5] [R003-15] [R003-45] [R003-46]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/fail");
    const failed = (await p.kind(id, "run.failed")) as Event & EventOf<"run.failed">;
    expect(failed.error).toMatchObject({ code: "policy", transient: false });
    expect(await lastMessage(p, id)).toMatchObject({
      role: "assistant",
      status: "error",
      errorMessage: failed.error.message,
      contentParts: [{ type: "text", text: await p.text(id) }],
    });
    expect((await p.text(id)).length).toBeGreaterThan(0);
    const { seq } = await p.sessions.state(id);
    await p.prompt(id, "/transient=1 /say made it");
    await p.kind(id, "run.completed", seq);
    const retries = (await p.of(id, "attempt.failed")).length;
    expect(retries).toBeGreaterThan(0);
    expect(retries).toBeLessThanOrEqual(2);
    expect(await p.text(id)).toContain("made it");
  });

  test("a crash keeps all output, and is an error in the words of document 003 [R003-15]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/count=20 /die");
    const { reason } = await p.kind(id, "run.interrupted");
    const message = await lastMessage(p, id);
    expect(message).toMatchObject({
      status: "interrupted",
      errorMessage: `Interrupted: ${reason}`,
    });
    expect(message?.contentParts).toMatchObject([{ type: "text", text: await p.text(id) }]);
    expect(await p.text(id)).toMatch(/<20>$/);
    const words = seedWords(await p.sessions.state(id), { epoch: p.sessions.epoch });
    expect(words).toMatchObject({ generationStatus: "error", generation: "error" });
  });

  test("an interruption tells a killed agent from a killed holder", async () => {
    const p = await sharedPlace();
    for (const [what, agentEnd] of [
      ["agent", "agent_killed"],
      ["holder", "holder_gone"],
    ] as const) {
      const id = await p.create();
      await p.prompt(id, "/stall");
      await p.kind(id, "tool.started");
      await p.host?.runtimes.break(id, what);
      await p.kind(id, "run.interrupted");
      expect(await lastMessage(p, id)).toMatchObject({ agentEnd });
      const { run, recovery } = await p.sessions.state(id);
      expect(run).toMatchObject({ interruption: "process_exit", agentEnd });
      expect(recovery.interruption).toMatchObject({ agentEnd });
    }
  });

  test("text and tool results are journalled while the agent works, also when no later output follows [R003-34] [R003-35]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/effect /count=40 /stall");
    await answer(p, id, await p.kind(id, "approval.requested"), "allow");
    const result = await p.kind(id, "tool.finished");
    expect(result).toMatchObject({ status: "completed" });
    const text = await p.kind(id, "text.appended");
    expect(text.seq).toBeGreaterThan(result.seq);
    // Only part of the output so far: it is journalled in groups as it arrives.
    expect(text.text).not.toContain("<40>");
    // The stalled call is the last frame, so no later frame flushes it.
    const last = await p.kind(id, "tool.started", text.seq);
    expect(await p.text(id)).toMatch(/<40>$/);
    expect((await p.events(id)).at(-1)?.seq).toBe(last.seq);
    expect(openRun(await p.sessions.state(id))).not.toBeNull();
  });

  test("output between turns belongs to no run, and noise on stdout does no harm", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/noise /late=50 /say done");
    await p.kind(id, "run.completed");
    await p.kind(id, "agent.spoke");
    const { messages } = await p.sessions.transcript(id, (await p.sessions.state(id)).seq);
    expect(messages.map(({ role, runId }) => [role, runId === null])).toEqual([
      ["user", false],
      ["assistant", false],
      ["assistant", true],
    ]);
  });

  test("one line of two megabytes is kept whole beside the journal, and does not stop it [F42]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/bigline=2000000");
    await p.kind(id, "run.completed");
    const [part] = await p.of(id, "part.added");
    expect(part?.part).toMatchObject({ type: "blob" });
  });

  test("a denied call gets the refusal as its result, and has no effect [R003-29] [R003-44]", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/effect=2 /say on we go");
    const first = await p.kind(id, "approval.requested");
    expect(first.options?.map(({ kind }) => kind)).toContain("allow_once");
    await answer(p, id, first, "deny");
    await answer(p, id, await p.kind(id, "approval.requested", first.seq), "allow");
    await p.kind(id, "run.completed");
    expect(await p.of(id, "approval.delivered")).toHaveLength(2);
    expect((await lastMessage(p, id))?.contentParts).toMatchObject([
      { type: "tool", status: "failed", output: "denied", approval: { decision: "deny" } },
      { type: "tool", status: "completed", output: "once", approval: { decision: "allow" } },
      { type: "text", text: "on we go" },
    ]);
    expect(effects(p, id)).toBe(1);
  });
});

describe("time", () => {
  test("an idle agent is ended and its session paused; a message revives it [R001-33] [R001-34] [U12]", async () => {
    const p = await sharedPlace();
    const id = await p.create({ idlePause: 1 });
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await p.host?.sweep();
    expect(await p.of(id, "session.paused")).toMatchObject([{ reason: "idle" }]);
    expect((await p.status(id)).lifecycle).toBe("paused");
    await p.prompt(id, "/say second");
    await p.until(id, says("second"));
    expect((await p.status(id)).lifecycle).toBe("active");
  });

  test("a message that comes with the idle clock keeps its agent", async () => {
    const p = await sharedPlace();
    const id = await p.create();
    await p.prompt(id, "/say first");
    await p.kind(id, "run.completed");
    await p.prompt(id, "/count=100");
    await p.host?.runtimes.pause(id, "idle");
    await p.until(id, says("<100>"));
    expect(await p.of(id, "session.paused")).toEqual([]);
    expect(await p.of(id, "holder.launched")).toHaveLength(1);
  });

  test("a run without followers is frozen in place at its limit, and goes on when someone looks [R003-48] [R003-49]", async () => {
    const p = await sharedPlace();
    const id = await p.create({ unwatchedLimit: 1 });
    await p.prompt(id, "/count=400");
    await p.until(id, says("<10>"));
    const stop = new AbortController();
    const watching = p.sessions.follow(id, 0, { signal: stop.signal });
    await watching.next();
    await p.host?.sweep();
    expect(await p.of(id, "run.paused")).toEqual([]);
    stop.abort();
    await watching.return(undefined);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await p.host?.sweep();
    await p.kind(id, "sandbox.frozen");
    expect(await p.status(id)).toMatchObject({ runStatus: "paused", pausedReason: "abandoned" });
    const { seq } = await p.sessions.state(id);
    p.host?.watch.seen(id);
    await p.kind(id, "run.completed", seq);
    expect(await p.text(id)).toMatch(/<400>$/);
    expect(openRun(await p.sessions.state(id))).toBeNull();
  });

  test("time without a host does not count as unwatched [R003-48]", async () => {
    const hour = 3600_000;
    let hours = 0;
    const real = systemClock();
    const clock: Clock = {
      ...real,
      now: () => real.now() + hours * hour,
      steady: () => real.steady() + hours * hour,
    };
    const p = await open({ clock });
    const id = await p.create({ unwatchedLimit: hour });
    await p.prompt(id, "/count=5 /stall");
    await p.until(id, says("<5>"));
    await p.close();
    hours += 10;
    await p.open({ clock });
    await p.host?.sweep();
    expect(await p.status(id)).toMatchObject({ runStatus: "running" });
    expect(await p.of(id, "run.paused")).toEqual([]);
    hours += 1;
    await p.host?.sweep();
    expect(await p.of(id, "run.paused")).toMatchObject([{ reason: "abandoned" }]);
  });

  test("an agent that may not be frozen is ended instead, and its run goes on when someone looks, also after a restart [R003-48]", async () => {
    const sound = demo();
    const definitions = [{ ...sound, row: { ...(sound.row as AgentRow), freeze: false } }];
    const p = await open({ definitions });
    const id = await p.create({ unwatchedLimit: 1 });
    const runId = await p.prompt(id, "/count=100");
    await p.until(id, says("<10>"));
    const pid = p.agentPid();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await p.host?.sweep();
    await p.kind(id, "holder.exited");
    expect(identify(pid)).toBeNull();
    expect(await p.status(id)).toMatchObject({ runStatus: "paused", pausedReason: "abandoned" });
    await p.close();
    await p.open({ definitions });
    expect(await p.status(id)).toMatchObject({ runStatus: "paused", pausedReason: "abandoned" });
    p.host?.watch.seen(id);
    expect(await p.kind(id, "run.completed")).toMatchObject({ runId });
    expect(await p.of(id, "sandbox.frozen")).toEqual([]);
    expect(await p.of(id, "session.resumed")).toMatchObject([{ rung: "native" }]);
  });

  test("a resume of a frozen session thaws it in place: same sandbox, active at once [R001-26]", async () => {
    const p = await sharedPlace();
    const id = await p.create({ unwatchedLimit: 1 });
    await p.prompt(id, "/count=200");
    await p.until(id, says("<10>"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await p.host?.sweep();
    const { sandboxId } = await p.kind(id, "sandbox.frozen");
    expect(await p.host?.runtimes.revive(id, "revive").done).toMatchObject({ rung: "live" });
    await p.kind(id, "run.completed");
    expect((await p.sessions.state(id)).runtime.sandbox).toMatchObject({ id: sandboxId });
    expect((await p.status(id)).lifecycle).toBe("active");
    expect(await p.of(id, "holder.launched")).toHaveLength(1);
  });

  test("an agent that does not answer in its time was not started well, and is gone [R004-27] [R003-15]", async () => {
    const sound = demo();
    const mute: AgentDefinition = {
      ...sound,
      launch: (place) => ({ ...sound.launch(place), command: "/bin/sleep", args: ["1000"] }),
    };
    const p = await open({ definitions: [mute], policy: { agentReady: 300, transientRetries: 0 } });
    const id = await p.create();
    await p.prompt(id, "/say hello");
    const { error } = await p.kind(id, "run.failed");
    expect(error.message).toContain("did not answer in 0.3 s");
    expect(await lastMessage(p, id)).toMatchObject({
      role: "assistant",
      status: "error",
      errorMessage: error.message,
    });
    await expect.poll(() => listHolders(join(p.data, "holders"))).toEqual([]);
  });

  test("or it is cancelled, where the policy says so [R003-48]", async () => {
    const p = await sharedPlace();
    const id = await p.create({ unwatchedLimit: 1, unwatchedCancel: 1 });
    await p.prompt(id, "/count=400");
    await p.until(id, says("<10>"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await p.host?.sweep();
    await p.kind(id, "run.cancelled");
    expect(await p.text(id)).toContain("<10>");
  });
});

describe("the end", () => {
  test("of a session ends its agent for good; a host's end leaves open runs to their holders [R001-38]", async () => {
    const p = await sharedPlace();
    const [ended, open1] = [await p.create(), await p.create()];
    await p.prompt(ended, "/count=400");
    await p.until(ended, says("<5>"));
    await p.host?.runtimes.end(ended);
    expect((await p.status(ended)).lifecycle).toBe("ended");
    await expect.poll(() => listHolders(join(p.data, "holders"))).toEqual([]);
    await p.prompt(open1, "/count=100");
    await p.until(open1, says("<5>"));
    expect(await p.host?.close()).toBe(1);
    await p.open();
    await p.kind(open1, "run.completed");
    expect(await p.of(open1, "run.interrupted")).toEqual([]);
    expect(await p.text(open1)).toMatch(/<100>$/);
    expect(existsSync(p.workspace(ended))).toBe(true);
  });
});
