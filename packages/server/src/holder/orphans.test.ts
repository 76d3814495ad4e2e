import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { processesMarked } from "../base/processes.ts";
import { killHolder, livenessOf } from "./host-side/liveness.ts";
import type { LaunchSpec } from "./spool/frames.ts";
import {
  agentSpec,
  endHolders,
  removeHolders,
  startHolder,
  type TestHolder,
  type TestHost,
  until,
} from "./testing/holders.ts";

afterEach(endHolders);
afterAll(removeHolders);

const isRoot = process.getuid?.() === 0;
const orphans = (name: string) => [...processesMarked(`ORPHAN=${name}`)];

/** Waits for the end of all orphans; returns the time it took. */
async function goneWithin(name: string): Promise<number> {
  const start = performance.now();
  await until("the end of all orphans", () => orphans(name).length === 0);
  return performance.now() - start;
}

/** An agent with an orphan that has another parent, another session, and ignores SIGTERM. */
async function withOrphan(namespaces: boolean, bare: boolean): Promise<[TestHolder, string]> {
  const holder = await startHolder({ namespaces });
  const host = await holder.connect();
  await host.launched(agentSpec("--ignores-term", "--ignores-end"));
  await host.asks("orphan", "orphan", { bare, name: holder.id });
  await until("the orphan", () => orphans(holder.id).length > 0);
  return [holder, holder.id];
}

test.skipIf(!isRoot)(
  "in a pid namespace every process ends with its holder, even hidden ones",
  async () => {
    const [holder, name] = await withOrphan(true, true);
    holder.crash();
    expect(await goneWithin(name)).toBeLessThan(1_000);
    await until("the agent's end", () => holder.processes().length === 0);
    expect(await livenessOf(holder.dir, 1_000)).toBe("dead");
  },
);

test("without a namespace the next host finds and kills the remaining processes, before it calls the holder dead", async () => {
  const [holder, name] = await withOrphan(false, false);
  holder.crash();
  await until("the holder's end", () => !holder.isThere);
  expect(orphans(name).length).toBeGreaterThan(0);
  expect(await livenessOf(holder.dir, 1_000)).toBe("dead");
  expect([orphans(name), holder.processes()]).toEqual([[], []]);
});

test.each([true, false])(
  "all processes that an agent started end with it (namespace: %s)",
  async (namespaces) => {
    const [holder, name] = await withOrphan(namespaces, namespaces && isRoot);
    const host = await holder.connect({ epoch: 2 });
    host.link.end({ stdinMs: 0, termMs: 0 }, false);
    expect(await host.sees("exit")).toMatchObject({ signal: "SIGKILL", reason: "asked" });
    expect([orphans(name), holder.processes()]).toEqual([[], []]);
  },
);

test.each([true, false])(
  "an agent that exits by itself leaves no process either (namespace: %s)",
  async (namespaces) => {
    const [holder, name] = await withOrphan(namespaces, false);
    const host = await holder.connect({ epoch: 2 });
    host.link.notify("exit", "exit", { code: 7 });
    expect(await host.sees("exit")).toMatchObject({ code: 7, reason: null });
    expect([orphans(name), holder.processes()]).toEqual([[], []]);
  },
);

test.each([true, false])(
  "killing a holder that does not answer ends all its processes (namespace: %s)",
  async (namespaces) => {
    const [holder, name] = await withOrphan(namespaces, false);
    process.kill(holder.pid, "SIGSTOP");
    expect(await livenessOf(holder.dir, 50)).toBe("unknown");
    expect(orphans(name).length).toBeGreaterThan(0);
    expect(await killHolder(holder.dir)).toBe(true);
    expect([orphans(name), holder.processes(), holder.isThere]).toEqual([[], [], false]);
    expect(await livenessOf(holder.dir, 50)).toBe("dead");
  },
);

/** An agent that double-forks at once. Only its children carry the name, not the gate before it. */
function hastyAgent(name: string): LaunchSpec {
  const orphan = `ORPHAN='${name}' setsid sh -c 'trap "" TERM HUP; sleep 100000; :' &`;
  const env = { PATH: "/usr/bin:/bin" };
  return { command: "/bin/sh", args: ["-c", `${orphan} sleep 100000; :`], cwd: "/", env };
}

test.each([true, false])(
  "a holder killed in the first milliseconds of a launch leaves no process, 20 times (namespace: %s)",
  async (namespaces) => {
    for (let round = 0; round < 20; round++) {
      const holder = await startHolder({ namespaces });
      const host = await holder.connect();
      host.link.launch("launch/1", hastyAgent(holder.id));
      // Covers the time before the gate exists, the moment it opens, and the agent's first actions.
      if (round >= 7) await host.sees("launched");
      if (round >= 14) await until("the agent's first act", () => orphans(holder.id).length > 0);
      const killAt = performance.now() + (round % 7);
      while (performance.now() < killAt) await new Promise((resolve) => setImmediate(resolve));
      holder.crash();
      const killed = performance.now();
      await until("the holder's end", () => !holder.isThere);
      if (!namespaces || !isRoot) expect(await livenessOf(holder.dir, 1_000)).toBe("dead");
      await until("the end of all of it", () => holder.processes().length === 0);
      expect(performance.now() - killed).toBeLessThan(1_000);
      expect(orphans(holder.id)).toEqual([]);
    }
  },
);

/** An agent with an orphan, and with a child and a grandchild, as agents run their servers. */
async function atWork(namespaces: boolean, bare: boolean) {
  const [holder, name] = await withOrphan(namespaces, bare);
  const host = await holder.connect({ epoch: 2 });
  const [child, grandchild] = [`${name}-child`, `${name}-grandchild`];
  await host.asks("family", "family", { child, grandchild });
  await until("all of them", () => orphans(child).length + orphans(grandchild).length === 2);
  host.link.request("prompt/1", "hold", {});
  await host.sees("sent", ({ key }) => key === "prompt/1");
  return { host, name, child, grandchild };
}

async function cancelled(host: TestHost): Promise<void> {
  host.link.notify("cancel/1", "release", {}, { drain: true });
  await host.sees("response", ({ key }) => key === "prompt/1");
}

test.each([true, false])(
  "a completed cancel ends the agent's detached processes, and none of its own children (namespace: %s) [P24]",
  async (namespaces) => {
    const { host, name, child, grandchild } = await atWork(namespaces, namespaces && isRoot);
    const own = [orphans(child), orphans(grandchild)];
    expect(orphans(name).length).toBeGreaterThan(0);
    await cancelled(host);
    await until("the orphan's end", () => orphans(name).length === 0);
    expect([orphans(child), orphans(grandchild)]).toEqual(own);
    expect(await host.asks("echo/1", "echo", { still: "there" })).toEqual({ still: "there" });
  },
);

test.each([true, false])(
  "a process that is detached only after the cancel is ended, too (namespace: %s) [P24]",
  async (namespaces) => {
    const { host, child, grandchild } = await atWork(namespaces, false);
    await cancelled(host);
    expect(orphans(grandchild)).toHaveLength(1);
    for (const pid of orphans(child)) process.kill(pid, "SIGKILL");
    await until("the grandchild's end", () => orphans(grandchild).length === 0);
  },
);

test("a process that is detached during the next request is kept: the cancel was for the one before", async () => {
  const { host, name } = await atWork(false, false);
  await cancelled(host);
  await until("the orphan's end", () => orphans(name).length === 0);
  const next = `${name}-next`;
  await host.asks("next", "orphan", { name: next });
  await until("the next orphan", () => orphans(next).length > 0);
  const before = orphans(next);
  // Long enough for several of the checks that follow a cancel.
  await delay(500);
  expect(orphans(next)).toEqual(expect.arrayContaining(before));
});

test("a cancel that arrives after its turn has ended still ends detached processes [P24]", async () => {
  const { host, name } = await atWork(false, false);
  host.link.notify("over", "release", {});
  await host.sees("response", ({ key }) => key === "prompt/1");
  expect(orphans(name).length).toBeGreaterThan(0);
  host.link.notify("cancel/1", "unheard", {}, { drain: true });
  await until("the orphan's end", () => orphans(name).length === 0);
});
