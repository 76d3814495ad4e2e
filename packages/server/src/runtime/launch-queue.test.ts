import type { EventKind, SessionId } from "@holdfast/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { Batch, Journal } from "../journal/journal.ts";
import { journalFull, refusalError } from "../journal/store-refusal.ts";
import { openMemoryJournal } from "../testing/memory-journal.ts";
import { LaunchQueue, limitsFor } from "./launch-queue.ts";
import { endPlaces, openPlace, type Place } from "./testing/place.ts";

afterEach(endPlaces);

const GB = 1024 ** 3;

describe("places for live agents", () => {
  const never = new AbortController().signal;

  /** A queue, and the names of the launches it admitted, in order. */
  function queued(limits: { liveAgents: number; liveAgentsPerTenant: number }) {
    const queue = new LaunchQueue(limits);
    const begun: string[] = [];
    const want = (name: string, since: number, stopped = never) => {
      const [tenant = ""] = name.split("/");
      queue.wait({ session: name as SessionId, holderId: name, tenant, since }, stopped).then(
        () => begun.push(name),
        () => undefined,
      );
    };
    const free = (name: string) => queue.free(name);
    return { queue, begun, want, free };
  }

  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

  test("go to the tenant with the fewest, and there to the earliest request [P34]", async () => {
    const { begun, want, free } = queued({ liveAgents: 2, liveAgentsPerTenant: 2 });
    want("a/1", 1);
    want("a/2", 2);
    want("a/4", 4);
    want("a/3", 3);
    want("b/1", 5);
    await settled();
    expect(begun).toEqual(["a/1", "a/2"]);
    free("a/1");
    await settled();
    expect(begun.slice(2)).toEqual(["b/1"]);
    free("a/2");
    free("b/1");
    await settled();
    expect(begun.slice(3)).toEqual(["a/3", "a/4"]);
  });

  test("are limited for each tenant, and others are not kept waiting by it [P34]", async () => {
    const { queue, begun, want } = queued({ liveAgents: 10, liveAgentsPerTenant: 1 });
    want("a/1", 1);
    want("a/2", 2);
    want("b/1", 3);
    await settled();
    expect(begun).toEqual(["a/1", "b/1"]);
    expect(queue.fullFor("a")).toEqual({ scope: "tenant", live: 1, limit: 1 });
  });

  test("are not waited for any more by a launch that was stopped", async () => {
    const { queue, begun, want, free } = queued({ liveAgents: 1, liveAgentsPerTenant: 1 });
    const stop = new AbortController();
    want("a/1", 1);
    want("a/2", 2, stop.signal);
    stop.abort();
    free("a/1");
    await settled();
    expect(begun).toEqual(["a/1"]);
    expect(queue.waiting).toEqual([]);
  });

  test("are given back only by the exit of the holder that has one, not by an earlier one of its session", async () => {
    const queue = new LaunchQueue({ liveAgents: 1, liveAgentsPerTenant: 1 });
    const wanted = { session: "a/1" as SessionId, tenant: "a", since: 1 };
    await queue.wait({ ...wanted, holderId: "new" }, never);
    queue.free("old");
    expect(queue.fullFor("a")).toMatchObject({ live: 1 });
    queue.free("new");
    expect(queue.fullFor("a")).toBeNull();
  });

  test("are as many as memory allows, and never less than a few", () => {
    expect(limitsFor(16 * GB)).toEqual({ liveAgents: 64, liveAgentsPerTenant: 32 });
    expect(limitsFor(GB / 2).liveAgents).toBe(8);
    expect(limitsFor(1024 * GB).liveAgents).toBe(256);
  });
});

describe("a host with as many live agents as it may have", () => {
  const limits = { liveAgents: 1, liveAgentsPerTenant: 1 };

  const waitingOf = async (p: Place, id: SessionId) => {
    const { runtime } = await p.sessions.state(id);
    return runtime.waiting;
  };

  test("lets a run wait, says why, also after a restart, and starts it when an agent is idle [P34]", async () => {
    const p = await openPlace({ limits });
    const [busy, next] = [await p.create(), await p.create()];
    await p.prompt(busy, "/ask");
    const { runId, approvalId } = await p.kind(busy, "approval.requested");
    await p.prompt(next, "/say next");
    await p.kind(next, "session.launch_queued");
    expect(await p.status(next)).toMatchObject({ status: "running", runtime: "starting" });
    expect(await waitingOf(p, next)).toMatchObject({ scope: "tenant", live: 1, limit: 1 });
    const { seq } = await p.sessions.state(next);
    await p.close();
    await p.open({ limits });
    await p.kind(next, "session.launch_queued", seq);
    expect(await p.of(next, "holder.launched")).toEqual([]);
    await p.sessions.execute(busy, "decide", { runId, approvalId, decision: "deny", by: "me" });
    await p.kind(next, "run.completed");
    expect(await waitingOf(p, next)).toBeNull();
    // The idle agent was paused to free its place; it comes back with its context.
    expect(await p.of(busy, "session.paused")).toMatchObject([{ reason: "idle" }]);
    await p.prompt(busy, "/say again");
    await p.kind(busy, "run.completed", (await p.kind(busy, "session.paused")).seq);
    expect(await p.of(busy, "session.resumed")).toMatchObject([
      { rung: "adopted" },
      { rung: "native", grade: "verified" },
    ]);
  });

  test("ends a waiting run that is cancelled, and calls no session failed for it [P25]", async () => {
    const p = await openPlace({ limits });
    const [busy, next] = [await p.create(), await p.create()];
    await p.prompt(busy, "/stall");
    await p.kind(busy, "tool.started");
    const runId = await p.prompt(next, "/say never");
    await p.kind(next, "session.launch_queued");
    await p.sessions.execute(next, "cancel", { runId });
    expect(await p.kind(next, "run.cancelled")).toMatchObject({ runId });
    await p.kind(next, "session.revive_failed");
    const { runtime, recovery } = await p.sessions.state(next);
    expect([runtime.state, runtime.waiting, recovery.reviveError]).toEqual(["none", null, null]);
    expect(await p.of(next, "holder.launched")).toEqual([]);
  });

  test("keeps no place for a launch whose wait could not be written down", async () => {
    const journal = refusing(await openMemoryJournal(), "session.launch_queued");
    const p = await openPlace({ limits, journal });
    const [busy, refused, next] = [await p.create(), await p.create(), await p.create()];
    const runId = await p.prompt(busy, "/stall");
    await p.kind(busy, "tool.started");
    await p.prompt(refused, "/say never");
    await p.kind(refused, "session.revive_failed");
    await p.prompt(next, "/say next");
    await p.kind(next, "session.launch_queued");
    await p.sessions.execute(busy, "cancel", { runId });
    await p.kind(next, "run.completed");
  });
});

/** Refuses the first batch with an event of this kind, like a full disk. */
function refusing(journal: Journal, kind: EventKind): Journal {
  let isFull = true;
  const append = async (batch: Batch) => {
    if (!isFull || !batch.text.includes(`"kind":"${kind}"`)) return journal.append(batch);
    isFull = false;
    throw refusalError(journalFull());
  };
  return new Proxy(journal, {
    get(store, name) {
      if (name === "append") return append;
      const member: unknown = Reflect.get(store, name, store);
      return typeof member === "function" ? member.bind(store) : member;
    },
  });
}
