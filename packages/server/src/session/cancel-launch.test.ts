import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { AgentDefinition } from "../agents/table.ts";
import { identify } from "../holder/processes.ts";
import { demo, endPlaces, openPlace, type Place } from "./testing/place.ts";

afterEach(endPlaces);

/** Its first launch comes up once there is a file `go` where it works; the others do at once. */
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

test("a cancel while an agent hangs as it comes up ends that agent, and the next prompt gets another at once [P25] [F15]", async () => {
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

/** Null until it was spawned. */
function agentOf(p: Place): number | null {
  try {
    return p.agentPid();
  } catch {
    return null;
  }
}
