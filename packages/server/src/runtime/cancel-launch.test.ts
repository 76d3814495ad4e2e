import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { AgentDefinition } from "../agents/table/table.ts";
import { identify } from "../base/processes.ts";
import { demo, endPlaces, openPlace, type Place } from "./testing/place.ts";
import { heard } from "./testing/resuming.ts";

afterEach(endPlaces);

/**
 * An agent whose first launch is ready once a file `go` exists in its workspace; later launches are
 * ready at once.
 */
function slowAtFirst(): AgentDefinition {
  const sound = demo();
  let launches = 0;
  return {
    ...sound,
    launch: (place) => {
      const spec = sound.launch(place);
      if (launches++ > 0) return spec;
      const script = 'until [ -e go ]; do sleep 0.02; done; exec "$0" "$@"';
      return { ...spec, command: "/bin/sh", args: ["-c", script, spec.command, ...spec.args] };
    },
  };
}

test("a cancel while an agent hangs in its start ends that agent, and the next prompt gets another at once [P25] [F15]", async () => {
  const p = await openPlace({ definitions: [slowAtFirst()] });
  const id = await p.create();
  const runId = await p.prompt(id, "/say never");
  await p.kind(id, "holder.launched");
  await expect.poll(() => agentOf(p)).not.toBeNull();
  const pid = agentOf(p) ?? 0;
  await p.sessions.execute(id, "cancel", { runId });
  expect(await p.kind(id, "run.cancelled")).toMatchObject({ runId });
  const next = await p.prompt(id, "/say hello");
  expect(await p.kind(id, "run.completed")).toMatchObject({ runId: next });
  expect(identify(pid)).toBeNull();
  expect(await p.text(id)).toBe("hello");
  expect(await p.of(id, "run.failed")).toEqual([]);
  expect(p.holders()).toHaveLength(1);
});

test("a message that interrupts a run just as its agent is ready reaches that agent, and no run is interrupted [P25]", async () => {
  const p = await openPlace({ definitions: [slowAtFirst()] });
  const id = await p.create();
  await p.prompt(id, "/say never");
  await p.kind(id, "holder.launched");
  const asked = Promise.withResolvers<void>();
  const execute = p.sessions.execute.bind(p.sessions);
  p.sessions.execute = (session, name, ...rest) => {
    if (name === "agentReady") asked.resolve();
    return execute(session, name, ...rest);
  };
  // The agent becomes ready while the first run's end is being written.
  const { journal } = p;
  const append = journal.append.bind(journal);
  journal.append = async (batch) => {
    if (batch.text.includes('"kind":"run.cancelled"')) {
      journal.append = append;
      writeFileSync(join(p.workspace(id), "go"), "");
      await asked.promise;
    }
    return append(batch);
  };
  await p.sessions.execute(id, "prompt", { content: "/say instead", whenBusy: "interrupt" });
  await p.kind(id, "run.completed");
  expect(await p.text(id)).toBe("instead");
  expect(await p.of(id, "run.interrupted")).toEqual([]);
  expect(await p.of(id, "attempt.accepted")).toHaveLength(heard(p, id).length);
});

test.each(["before", "after"])(
  "what a person asked for by a resume %s the prompt comes up, though the run is cancelled",
  async (when) => {
    const p = await openPlace({ definitions: [slowAtFirst()] });
    const id = await p.create();
    const resume = async () => {
      const reviving = p.host?.runtimes.revive(id, "revive");
      await reviving?.started;
      return reviving;
    };
    const early = when === "before" ? await resume() : undefined;
    const runId = await p.prompt(id, "/say never");
    await p.kind(id, "holder.launched");
    const reviving = early ?? (await resume());
    await p.sessions.execute(id, "cancel", { runId });
    await p.kind(id, "run.cancelled");
    writeFileSync(join(p.workspace(id), "go"), "");
    expect(await reviving?.done).toMatchObject({ rung: "fresh" });
    expect(await p.of(id, "holder.launched")).toHaveLength(1);
    await p.prompt(id, "/say hello");
    await p.kind(id, "run.completed");
    expect(await p.text(id)).toBe("hello");
  },
);

test("a cancel that comes before the prompt went out to a living agent is settled all the same [P25] [U23]", async () => {
  const p = await openPlace({ definitions: [demo()] });
  const id = await p.create();
  await p.prompt(id, "/say up");
  await p.kind(id, "run.completed");
  // Cancels as early as possible: from the listener that first sees the run.
  const leave = p.sessions.onDurable((session, { state }) => {
    const { run } = state;
    if (run === null || run.outcome !== null || run.cancel !== null) return;
    void p.sessions.execute(session, "cancel", { runId: run.id }).catch(() => undefined);
  });
  for (let n = 0; n < 20; n++) {
    const runId = await p.prompt(id, `/say ${"never ".repeat(20_000)}`);
    await expect
      .poll(async () => (await p.of(id, "run.cancelled")).map((event) => event.runId))
      .toContain(runId);
  }
  leave();
  const next = await p.prompt(id, "/say on");
  await expect
    .poll(async () => (await p.of(id, "run.completed")).map((event) => event.runId))
    .toContain(next);
});

test("a cancel of a run whose agent is gone is settled though another is up [P25]", async () => {
  const p = await openPlace({ definitions: [demo()] });
  const id = await p.create();
  const runId = await p.prompt(id, "/ask");
  await p.kind(id, "approval.requested");
  process.kill(p.agentPid(), "SIGKILL");
  await p.kind(id, "agent.exited");
  await p.host?.runtimes.revive(id, "revive").done;
  await p.sessions.execute(id, "cancel", { runId });
  expect(await p.kind(id, "run.cancelled")).toMatchObject({ runId });
});

/** The agent's pid; null before it was spawned. */
function agentOf(p: Place): number | null {
  try {
    return p.agentPid();
  } catch {
    return null;
  }
}

test("a host that stops while a session is being revived cuts off no turn of its live agent [P31]", async () => {
  const p = await openPlace();
  const id = await p.create();
  await p.prompt(id, "/stall");
  await p.kind(id, "tool.started");
  const pid = p.agentPid();
  const reviving = p.host?.runtimes.revive(id, "revive").done.catch(() => null);
  await p.close();
  await reviving;
  expect(identify(pid)).not.toBeNull();
  await p.open();
  expect(await p.of(id, "agent.exited")).toEqual([]);
});
