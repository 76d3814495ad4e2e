import { chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { activityOf, identify } from "../base/processes.ts";
import { realDisk } from "../sandboxes/disk.ts";
import { readMachine, sandboxUser } from "../sandboxes/machine.ts";
import { shapeOf } from "../sandboxes/make-shape.ts";
import { probeBubblewrap } from "../sandboxes/probe.ts";
import type { Shape } from "../sandboxes/shape.ts";
import { personsMachine } from "../sandboxes/testing/shape-facts.ts";
import { livenessOf } from "./host-side/liveness.ts";
import type { LaunchSpec } from "./spool/frames.ts";
import { agentSpec, endHolders, removeHolders, startHolder, until } from "./testing/holders.ts";

const { holds } = await probeBubblewrap("/home/none");
const testing = fileURLToPath(new URL("./testing", import.meta.url));
const person = personsMachine();

afterEach(endHolders);
afterAll(() => {
  removeHolders();
  person.remove();
});

async function sandboxedSpec(...options: readonly string[]): Promise<LaunchSpec> {
  const machine = await readMachine();
  if (machine === null) throw new Error("Bubblewrap is not here.");
  const user = sandboxUser("session", machine);
  chownSync(person.workspace, user.uid, user.gid);
  const programs = [process.execPath, testing];
  const shape = shapeOf({ ...person.facts, programs, user }, realDisk) as Shape;
  return { ...agentSpec(...options), cwd: shape.cwd, sandbox: { machine, shape } };
}

describe.skipIf(!holds)("an agent in bubblewrap", () => {
  test("has its shape's folder and environment, and no descriptor of the holder's", async () => {
    const holder = await startHolder();
    const host = await holder.connect();
    const outside = await startHolder();
    const other = await outside.connect();
    await other.launched();
    const { descriptors: bare } = (await other.asks("look", "surroundings")) as {
      descriptors: string[];
    };
    await host.launched(await sandboxedSpec());
    const { PATH } = agentSpec().env;
    const inside = await host.asks("look", "surroundings");
    // Node's own descriptors, and the one that reads the list.
    expect(
      (inside as { descriptors: string[] }).descriptors.filter((fd) => Number(fd) <= 10),
    ).toEqual(bare.filter((fd) => Number(fd) <= 10));
    expect(inside).toMatchObject({
      cwd: person.workspace,
      environment: expect.arrayContaining([`PATH=${PATH}`, `HOLDFAST_HOLDER=${holder.id}`]),
    });
  });

  test("is asked to end by SIGTERM, and its signal and exit code are told", async () => {
    const holder = await startHolder();
    const host = await holder.connect();
    await host.launched(await sandboxedSpec("--ignores-end"));
    await host.asks("echo", "echo");
    host.link.end({ stdinMs: 0, termMs: 10_000 }, false);
    expect(await host.sees("exit")).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  test("is frozen and thawed with all its processes", async () => {
    const holder = await startHolder();
    const host = await holder.connect();
    await host.launched(await sandboxedSpec());
    await host.asks("orphan", "orphan", { name: "stray" });
    host.link.setFrozen("freeze", true);
    await host.sees("frozen");
    expect(holder.processes().length).toBeGreaterThan(2);
    expect(holder.standsStill()).toBe(true);
    host.link.setFrozen("thaw", false);
    expect(await host.asks("echo", "echo")).toEqual({});
    await until("the thaw", () =>
      holder.processes().every((pid) => activityOf(pid)?.state !== "T"),
    );
  });

  test("leaves no process when its holder is killed, frozen or not [P24]", async () => {
    for (const isFrozen of [true, false]) {
      const holder = await startHolder();
      const host = await holder.connect();
      await host.launched(await sandboxedSpec());
      await host.asks("orphan", "orphan", { bare: true, name: "stray" });
      if (isFrozen) {
        host.link.setFrozen("freeze", true);
        await host.sees("frozen");
      }
      const pids = holder.processes();
      expect(pids.length).toBeGreaterThan(2);
      holder.crash();
      expect(await livenessOf(holder.dir, 5_000)).toBe("dead");
      // A process that the kernel is ending has no memory any more, and cannot act.
      await until("their end", () => pids.every((pid) => identify(pid) === null));
    }
  });

  test("that cannot start says bubblewrap's own words", async () => {
    const holder = await startHolder();
    const host = await holder.connect();
    const spec = await sandboxedSpec();
    const { machine, shape } = spec.sandbox as NonNullable<LaunchSpec["sandbox"]>;
    const gone = join(person.root, "gone");
    const mounts = [...shape.mounts, { kind: "read", path: gone, from: gone } as const];
    host.link.launch("launch/1", { ...spec, sandbox: { machine, shape: { ...shape, mounts } } });
    const { reason, stderr } = await host.sees("exit");
    expect(reason).toBe("launch_failed");
    expect(stderr).toContain(gone);
    expect(readFileSync(join(holder.dir, "log"), "utf8")).toBe("");
  });
});
