/**
 * Each recorded version starts a real host, which is killed while its sessions work, wait, fail and
 * rest. Today's host takes over the data and the living holders.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Event, SessionView } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killHolder } from "../../packages/server/src/holder/host-side/liveness.ts";
import { counted, kinds, textOf, World } from "../story/world.ts";
import { type EarlierHost, recorded, unpackHost } from "./host.ts";

const isOutcome = ({ kind }: Event) => /^run\.(completed|failed|cancelled|interrupted)$/.test(kind);
const counts = (n: number) => (event: Event) =>
  event.kind === "text.appended" && event.text.includes(`<${n}>`);

/** Two hosts start and five agents work first, on machines that may be busy. */
const SETUP_LIMIT = 120_000;

describe.each(recorded)("a host and holders of %s", (commit) => {
  const world = new World({ pace: 20 });
  let earlier: EarlierHost;
  const sessions = {} as Record<"done" | "failed" | "counting" | "asking" | "cutOff", SessionView>;
  const undisturbed = ["done", "failed", "counting", "asking"] as const;
  const before = {} as Record<(typeof undisturbed)[number], Event[]>;

  const holderOf = async (id: string) => {
    const launched = kinds(await world.events(id), "holder.launched").at(-1);
    return launched?.holderId ?? "";
  };

  beforeAll(async () => {
    earlier = unpackHost(commit);
    await world.start({ entry: earlier.entry });
    sessions.done = await world.create("/say hello");
    sessions.failed = await world.create("/fail");
    sessions.asking = await world.create("/ask");
    await world.untilKind(sessions.asking.id, "run.waiting");
    await world.until(sessions.done.id, isOutcome);
    await world.until(sessions.failed.id, isOutcome);
    sessions.cutOff = await world.create("/count=200");
    await world.until(sessions.cutOff.id, counts(5));
    sessions.counting = await world.create("/count=200");
    await world.send(sessions.counting.id, "/say queued");
    await world.until(sessions.counting.id, counts(5));
    const doomed = await holderOf(sessions.cutOff.id);
    for (const name of undisturbed) before[name] = await world.events(sessions[name].id);
    await world.kill();
    await killHolder(join(world.data, "holders", doomed));
    await world.start({ env: { HOLDFAST_DEMO_PACE_MS: "1" } });
  }, SETUP_LIMIT);

  afterAll(async () => {
    await world.end();
    rmSync(earlier.folder, { recursive: true, force: true });
  });

  test("sessions that need somebody are listed first and counted, whichever version wrote them", async () => {
    const listed = () => world.client.call("listSessions", { query: { limit: 2 } });
    // The failure is counted once the journal was read, which happens while the host already
    // serves.
    await expect.poll(async () => (await listed()).needs.failed).toBe(1);
    const { sessions: first, needs } = await listed();
    expect(needs.waiting).toBe(1);
    expect(first[0]).toMatchObject({ id: sessions.asking.id, word: "waiting" });
    const [asked] = kinds(await world.events(sessions.asking.id), "run.waiting");
    expect(first[0]?.need).toEqual({ kind: "waiting", since: asked?.ts });
    expect(await world.session(sessions.failed.id)).toMatchObject({ word: "failed" });
    expect(await world.session(sessions.done.id)).toMatchObject({ word: "done" });
  });

  test.each(undisturbed)(
    "a session that was %s keeps every event, and no run of it is interrupted",
    async (name) => {
      const events = await world.events(sessions[name].id);
      expect(events.slice(0, before[name].length)).toEqual(before[name]);
      expect(kinds(events, "run.interrupted")).toEqual([]);
    },
  );

  test("an idle agent takes a new message, also one whose run failed", async () => {
    for (const { id } of [sessions.done, sessions.failed]) {
      const { length } = await world.events(id);
      await world.send(id, "/say once more");
      await world.until(id, isOutcome, length);
      const events = await world.events(id);
      expect(textOf(events.slice(length))).toContain("once more");
      expect(kinds(events, "holder.launched")).toHaveLength(1);
    }
  });

  test("an agent that works through the change of hosts loses no word, and its queue goes on", async () => {
    const { id } = sessions.counting;
    const first = await world.until(id, isOutcome);
    expect(first.kind).toBe("run.completed");
    await world.until(id, isOutcome, first.seq);
    const events = await world.events(id);
    const run = events.filter(({ seq }) => seq < first.seq);
    expect(textOf(run)).toBe(counted(200));
    expect(kinds(run, "holder.launched")).toHaveLength(1);
    expect(textOf(events)).toContain("queued");
  });

  test("a question is the same question, and its answer reaches the agent that asked", async () => {
    const { id } = sessions.asking;
    const { currentRunId } = await world.session(id);
    const runId = currentRunId ?? "";
    const { pendingApproval } = await world.run(runId);
    const [asked] = kinds(await world.events(id), "approval.requested");
    expect(pendingApproval).toMatchObject({ id: asked?.approvalId });
    await world.client.call("decideApproval", {
      params: { runId, approvalId: pendingApproval?.id ?? "" },
      body: { decision: "allow" },
    });
    await world.untilKind(id, "run.completed");
    const events = await world.events(id);
    expect(kinds(events, "run.adopted")).toHaveLength(1);
    expect(kinds(events, "approval.delivered")).toHaveLength(1);
    expect(kinds(events, "holder.launched")).toHaveLength(1);
  });

  test("a run whose holder died is interrupted once and continues", async () => {
    const { id } = sessions.cutOff;
    const cut = await world.untilKind(id, "run.interrupted");
    await world.client.call("resumeSession", {
      params: { sessionId: id },
      body: { mode: "continue" },
    });
    await world.untilKind(id, "run.completed", cut.seq);
    expect(kinds(await world.events(id), "run.interrupted")).toHaveLength(1);
  });
});
