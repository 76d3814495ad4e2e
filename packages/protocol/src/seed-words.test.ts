import { describe, expect, test } from "vitest";
import type { EventBody } from "./events.ts";
import { foldAll } from "./fold.ts";
import { seedWords } from "./seed-words.ts";
import { created, journal, running } from "./testing/states.ts";

const epoch = 1;
const wordsOf = (...bodies: readonly EventBody[]) =>
  seedWords(foldAll(journal(...bodies)), { epoch });

const waiting: EventBody = {
  kind: "run.waiting",
  runId: "run_1",
  waitId: "wait_1",
  waitKind: "human",
  epoch,
  resumeTokenId: null,
  deadlineAt: null,
  approvalId: null,
};
const ready: EventBody = { kind: "agent.ready", agentSessionId: "a1", holderId: null, epoch };
const exited: EventBody = { kind: "agent.exited", reason: "gone" };
const run = { runId: "run_1" };
const paused: EventBody = { kind: "run.paused", ...run, reason: "waiting" };
const completed: EventBody = { kind: "run.completed", ...run, stopReason: "end_turn" };
const cancelled: EventBody = { kind: "run.cancelled", ...run, reason: "user" };
const failed: EventBody = { kind: "run.failed", ...run, error: { code: "e", message: "m" } };
const interrupted: EventBody = {
  kind: "run.interrupted",
  ...run,
  reason: "process_restart",
  bootId: "boot_2",
};
const ended: EventBody = { kind: "session.ended", reason: "explicit" };

describe("what the seeds would have said", () => {
  test("[R003-20] of a conversation and of its generation", () => {
    const table: [EventBody[], string, string | null][] = [
      [[created], "idle", null],
      [[...running], "generating", "running"],
      [[...running, waiting], "awaiting_approval", "awaiting_approval"],
      [[...running, waiting, paused], "paused", "paused"],
      [[...running, completed], "complete", "completed"],
      [[...running, cancelled], "idle", "cancelled"],
      [[...running, failed], "error", "error"],
      [[...running, interrupted], "error", "error"],
    ];
    for (const [bodies, generationStatus, generation] of table) {
      expect(wordsOf(...bodies)).toMatchObject({ generationStatus, generation });
    }
  });

  test("of a session and its task, from waiting over starting and running to waiting", () => {
    const review = { session: "WAITING_FOR_INPUT", task: "REVIEW", isActive: true };
    const gone = [created, ready, exited];
    const reviving: EventBody = { kind: "session.reviving", mode: "revive", epoch };
    const resumed: EventBody = {
      kind: "session.resumed",
      rung: "native",
      ms: 1,
      grade: null,
      epoch,
      bootId: "boot_1",
    };
    expect(wordsOf(...gone)).toMatchObject(review);
    expect(wordsOf(...gone, reviving)).toMatchObject({ session: "STARTING" });
    expect(wordsOf(...gone, reviving, resumed)).toMatchObject(review);
    const [, ...prompted] = running;
    expect(wordsOf(...gone, reviving, resumed, ...prompted)).toMatchObject({
      session: "RUNNING",
      task: "IN_PROGRESS",
      isActive: true,
    });
    expect(wordsOf(...gone, reviving, resumed, ...prompted, completed)).toMatchObject(review);
  });

  test("a session is active in every state but its end", () => {
    const reviving: EventBody = { kind: "session.reviving", mode: "revive", epoch };
    const active = [[...running], [created, reviving], [...running, completed]];
    expect(active.map((bodies) => wordsOf(...bodies))).toMatchObject([
      { session: "RUNNING", isActive: true },
      { session: "STARTING", isActive: true },
      { session: "WAITING_FOR_INPUT", isActive: true },
    ]);
    for (const outcome of [failed, cancelled, interrupted]) {
      expect(wordsOf(...running, outcome)).toMatchObject({ isActive: true });
    }
    expect(wordsOf(created, ended)).toMatchObject({ session: "COMPLETED", isActive: false });
  });

  test("an ended session is final in the word of its last run", () => {
    const last = (outcome: EventBody) => wordsOf(...running, outcome, ended);
    expect(last(completed)).toMatchObject({ session: "COMPLETED", task: "COMPLETED" });
    expect(last(cancelled)).toMatchObject({ session: "CANCELLED", task: "CANCELLED" });
    expect(last(failed)).toMatchObject({ session: "FAILED", task: "FAILED", isActive: false });
  });
});
