import { afterEach, expect, test } from "vitest";
import { identify, isSameProcess, type ProcessIdentity } from "../base/processes.ts";
import { readIdentity } from "../holder/directory/identity.ts";
import { fillDisk } from "../testing/full-disk.ts";
import { endPlaces, openPlace, type Place } from "./testing/place.ts";

afterEach(endPlaces);

const policy = { cancelGrace: 100, killLimit: 300, holderProbe: 200 };

/** Stops the holder, like a debugger or a cgroup freezer: it lives, but does not answer. */
function stopHolder(p: Place): ProcessIdentity {
  const [dir = ""] = p.holders();
  const holder = readIdentity(dir) as unknown as ProcessIdentity;
  process.kill(holder.pid, "SIGSTOP");
  return holder;
}

test.each(["of this host", "of an earlier host"])(
  "a cancel ends although the holder %s was stopped, and no process of the run is left [P25]",
  async (whose) => {
    const p = await openPlace({ policy });
    const id = await p.create();
    const runId = await p.prompt(id, "/stall");
    await p.kind(id, "tool.started");
    const agent = p.agentPid();
    const holder = stopHolder(p);
    if (whose === "of an earlier host") {
      await p.close();
      await p.open({ policy });
      await p.kind(id, "run.unreachable");
    }
    await p.sessions.execute(id, "cancel", { runId });
    expect(await p.kind(id, "run.cancelled")).toMatchObject({ runId });
    expect([isSameProcess(holder), identify(agent)]).toEqual([false, null]);
    await p.prompt(id, "/say on");
    await p.kind(id, "run.completed");
    expect(await p.of(id, "holder.exited")).toHaveLength(1);
  },
);

test("a cancel of a stopped holder ends once a full disk has space again [P8] [P25]", async () => {
  const p = await openPlace({ policy: { ...policy, fullRetry: 50 } });
  const id = await p.create();
  const runId = await p.prompt(id, "/stall");
  await p.kind(id, "tool.started");
  stopHolder(p);
  const free = fillDisk(p.journal, "holder.exited", () => free());
  await p.sessions.execute(id, "cancel", { runId });
  expect(await p.kind(id, "run.cancelled")).toMatchObject({ runId });
});
