import { afterAll, afterEach, describe, expect, test } from "vitest";
import { livenessOf } from "./host-side/liveness.ts";
import { agentSpec, endHolders, removeHolders, startHolder, until } from "./testing/holders.ts";

afterEach(endHolders);
afterAll(removeHolders);

describe.each([
  { where: "with a pid namespace", namespaces: true },
  { where: "without one", namespaces: false },
])("a freeze, $where,", ({ namespaces }) => {
  test("stops every process of the agent; what it is sent meanwhile reaches it after the thaw", async () => {
    const holder = await startHolder({ namespaces });
    const host = await holder.connect();
    await host.launched();
    await host.asks("family", "family", { child: "a", grandchild: "b" });
    host.link.setFrozen("freeze/1", true);
    await host.sees("frozen");
    expect(holder.standsStill()).toBe(true);

    host.link.request("echo/1", "echo", { while: "frozen" });
    await host.sees("sent", ({ key }) => key === "echo/1");
    host.link.setFrozen("thaw/1", false);
    const { line } = await host.sees("response", ({ key }) => key === "echo/1");
    expect(line.result).toEqual({ while: "frozen" });
    expect(host.frames.slice(-4).map(({ k }) => k)).toEqual([
      ...["frozen", "sent", "thawed", "response"],
    ]);
    expect(host.of("thawed")).toMatchObject([{ key: "thaw/1", why: "asked" }]);
  });
});

test("an order under a new key is confirmed, also when the agent is so already; one under a used key is not", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  for (const key of ["a", "a", "b"]) host.link.setFrozen(key, true);
  for (const key of ["c", "c", "d"]) host.link.setFrozen(key, false);
  await host.sees("thawed", ({ key }) => key === "d");
  host.link.setFrozen("a", true);
  expect(await host.asks("echo", "echo")).toEqual({});
  expect(host.of("frozen").map(({ key }) => key)).toEqual(["a", "b"]);
  expect(host.of("thawed").map(({ key }) => key)).toEqual(["c", "d"]);
});

test("a frozen agent goes on by itself after its limit", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  (host.link as unknown as { say: (said: unknown) => void }).say({
    t: "freeze",
    key: "freeze/1",
    limitMs: 50,
  });
  expect(await host.sees("thawed")).toMatchObject({ key: null, why: "limit" });
  expect(await host.asks("echo", "echo")).toEqual({});
});

test("a frozen agent can be ended, and takes the end of its stdin", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  await host.launched();
  host.link.setFrozen("freeze/1", true);
  await host.sees("frozen");
  host.link.end({ stdinMs: 10_000, termMs: 10_000 }, false);
  expect(await host.sees("exit")).toMatchObject({ reason: "asked", code: 0 });
});

test("the next host learns from the holder that the agent is frozen, and lets it go on", async () => {
  const holder = await startHolder();
  const first = await holder.connect({ acks: false });
  await first.launched();
  first.link.setFrozen("freeze/1", true);
  first.link.drop();
  await until("the freeze", () => holder.standsStill());

  const second = await holder.connect({ epoch: 2 });
  await second.sees("frozen");
  second.link.setFrozen("thaw/1", false);
  expect(await second.asks("echo", "echo")).toEqual({});
});

test("nothing frozen is left of a holder that was killed [P24]", async () => {
  for (const namespaces of [true, false]) {
    const holder = await startHolder({ namespaces });
    const host = await holder.connect();
    await host.launched();
    await host.asks("orphan", "orphan", { name: "stray" });
    host.link.setFrozen("freeze/1", true);
    await host.sees("frozen");
    holder.crash();
    expect(await livenessOf(holder.dir, 5_000)).toBe("dead");
    expect(holder.processes()).toEqual([]);
  }
});

test("a freeze without an agent is refused", async () => {
  const holder = await startHolder();
  const host = await holder.connect();
  host.link.setFrozen("freeze/1", true);
  host.link.launch("launch/1", agentSpec());
  await host.sees("launched");
  expect(host.refusals).toMatchObject([{ key: "freeze/1", code: "no_agent" }]);
});
