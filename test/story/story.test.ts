import { join } from "node:path";
import type { Event, SessionView } from "@holdfast/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readSpool } from "../../packages/server/src/holder/host-side/read-spool.ts";
import type { Frame } from "../../packages/server/src/holder/spool/frames.ts";
import { type Follower, followBySocket, followBySse } from "./followers.ts";
import { counted, kinds, textOf, World } from "./world.ts";

const w = new World({ pace: 10 });
beforeAll(() => w.start());
afterAll(() => w.end());

const isOutcome = ({ kind }: Event) =>
  ["run.completed", "run.failed", "run.cancelled", "run.interrupted"].includes(kind);
const says = (part: string) => (event: Event) =>
  event.kind === "text.appended" && event.text.includes(part);
const dense = (events: readonly Event[]) => events.map((_, i) => i + 1);

test("an agent killed under a living host is interrupted once; the session stays promptable [F22]", async () => {
  const { id } = await w.create("/count=400");
  await w.until(id, says("<30>"));
  await w.client.call("breakSession", { params: { sessionId: id }, body: { what: "agent" } });
  await w.untilKind(id, "run.interrupted");
  const before = (await w.events(id)).length;
  await w.send(id, "/say still here");
  await w.untilKind(id, "run.completed", before);
  const events = await w.events(id);
  expect(kinds(events, "run.interrupted")).toMatchObject([{ reason: "process_exit" }]);
  expect(textOf(events)).toMatch(/still here$/);
  expect(kinds(events, "session.resumed")).toMatchObject([{ rung: "native" }]);
});

test("a holder killed under a living host: its spool is drained, the run interrupted once [F1]", async () => {
  const { id } = await w.create("/count=400");
  await w.until(id, says("<30>"));
  await w.client.call("breakSession", { params: { sessionId: id }, body: { what: "holder" } });
  await w.untilKind(id, "run.interrupted");
  const events = await w.events(id);
  expect(counted(400).startsWith(textOf(events))).toBe(true);
  expect(kinds(events, "run.interrupted")).toHaveLength(1);
});

describe("the host is killed while the agent works", () => {
  let working: SessionView;
  let waiting: SessionView;
  let finished: SessionView;
  let dead: SessionView;
  let followers: Follower[];
  let pids: ReturnType<World["pids"]>;
  let asked: Event[];

  beforeAll(async () => {
    waiting = await w.create("/ask");
    await w.untilKind(waiting.id, "run.waiting");
    asked = kinds(await w.events(waiting.id), "approval.requested");
    [finished, dead, working] = await Promise.all([
      w.create("/count=50"),
      w.create("/count=500"),
      // Long enough to still count when a slow machine has started the host again.
      w.create("/count=700"),
    ]);
    followers = [followBySse(w, working.id), followBySocket(w, working.id)];
    await w.until(dead.id, says("<40>"));
    await w.until(finished.id, says("<20>"));
    await w.until(working.id, says("<60>"));
    pids = w.pids(working.id);
    await w.kill();
    process.kill(w.pids(dead.id).holder ?? 0, "SIGKILL");
    await vi.waitUntil(() => agentEnded(finished.id), { timeout: 20_000 });
    process.kill(w.pids(finished.id).holder ?? 0, "SIGKILL");
    await w.start();
  }, 60_000);

  test("the agent never stops, and followers by SSE and WebSocket miss and repeat no event [R003-2] [R003-3] [R003-6] [R004-1] [F2] [F28] [P26]", async () => {
    const { id } = working;
    await w.until(id, isOutcome);
    const events = await w.events(id);
    expect(textOf(events)).toBe(counted(700));
    expect(kinds(events, "run.interrupted")).toEqual([]);
    expect(kinds(events, "run.adopted")).toHaveLength(1);
    const adopted = { rung: "adopted", ms: expect.any(Number) };
    expect(kinds(events, "session.resumed")).toMatchObject([adopted]);
    expect(kinds(events, "receipt.issued")).toMatchObject([adopted]);
    expect(kinds(events, "holder.launched")).toHaveLength(1);
    expect(w.pids(id)).toEqual(pids);
    await expect
      .poll(() => followers.map(({ seqs }) => seqs.length))
      .toEqual([events.length, events.length]);
    for (const follower of followers) {
      expect(follower.seqs).toEqual(dense(events));
      expect(follower.connections()).toBeGreaterThan(1);
      follower.close();
    }
  });

  test("a run whose agent finished without a host is completed from its holder's spool, also when the holder is dead by then [F2]", async () => {
    const { id } = finished;
    await w.until(id, isOutcome);
    const events = await w.events(id);
    expect(textOf(events)).toBe(counted(50));
    expect(kinds(events, "run.completed")).toHaveLength(1);
    expect(kinds(events, "run.interrupted")).toEqual([]);
    await expect.poll(() => w.holders(id)).toEqual([]);
  });

  describe("and killed again", () => {
    beforeAll(async () => {
      await w.kill();
      await w.start();
    });

    test("a pending approval is the same question afterwards, answerable once [R003-11] [R003-38] [F8] [P19]", async () => {
      const { id } = waiting;
      const { currentRunId } = await w.session(id);
      const { pendingApproval } = await w.run(currentRunId ?? "");
      expect(pendingApproval).toMatchObject({
        id: (asked[0] as { approvalId?: string }).approvalId,
      });
      const answer = (decision: "allow" | "deny") =>
        w.client.call("decideApproval", {
          params: { runId: currentRunId ?? "", approvalId: pendingApproval?.id ?? "" },
          body: { decision },
        });
      const answers = await Promise.all([answer("allow"), answer("deny"), answer("allow")]);
      expect(new Set(answers.map(({ approval }) => approval.decision)).size).toBe(1);
      await w.untilKind(id, "run.completed");
      const events = await w.events(id);
      expect(kinds(events, "approval.decided")).toHaveLength(1);
      expect(kinds(events, "approval.delivered")).toHaveLength(1);
      expect(kinds(events, "approval.requested")).toEqual(asked);
    });

    test("with holder and agent dead too the run is interrupted once, keeps its text, and Continue works [R001-36] [R002-61] [F1] [F3]", async () => {
      const { id } = dead;
      const session = await w.session(id);
      expect(session).toMatchObject({ status: "interrupted_startup", lifecycle: "paused" });
      const events = await w.events(id);
      expect(kinds(events, "run.interrupted")).toMatchObject([{ reason: "process_restart" }]);
      const said = textOf(events);
      expect(counted(500).startsWith(said)).toBe(true);
      expect(said).toContain("<40>");
      const run = await w.run(session.currentRunId ?? "");
      expect(run).toMatchObject({
        status: "interrupted",
        contentParts: [{ type: "text", text: said }],
      });

      const { resume } = await w.client.call("resumeSession", {
        params: { sessionId: id },
        body: { mode: "continue" },
      });
      expect(resume).toMatchObject({ rung: "native" });
      await w.untilKind(id, "run.completed", events.length);
      const next = await w.session(id);
      expect(next).toMatchObject({ status: "idle", lifecycle: "active" });
      expect(await w.run(next.currentRunId ?? "")).toMatchObject({ continues: run.id });
    });
  });
});

/**
 * True when the holder has the response to the prompt; the agent writes its own transcript earlier.
 */
function agentEnded(session: string): boolean {
  const ended = (frame: Frame) => frame.k === "response" && frame.key.startsWith("prompt/");
  const spools = w.holders(session).map((holderId) => join(w.data, "holders", holderId));
  return spools.some((dir) => [...readSpool(dir, 0)].flat().some(ended));
}
