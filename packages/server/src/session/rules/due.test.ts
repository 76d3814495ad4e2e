import { openRun } from "@holdfast/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueAt } from "./due.ts";
import { detailDue, removalDue, ttlDue } from "./history.ts";
import { idlePauseDue } from "./lifecycle.ts";
import { choices, freshSeed, randomStory } from "./testing/random-story.ts";
import { type Story, story } from "./testing/story.ts";
import { dueWaits } from "./waits.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const next = (told: Story) => dueAt(told.state, told.time.at().policy);

/** The next action of the sweep on this session; null when it has none. */
function dueNow(told: Story): "remove" | (() => unknown) | null {
  const at = told.time.at();
  const run = openRun(told.state);
  const wait = run === null ? undefined : dueWaits(run, at)[0];
  if (run !== null && wait !== undefined) {
    return () => told.do("expireWait", { runId: run.id, waitId: wait.id });
  }
  if (removalDue(told.state, at)) return "remove";
  if (ttlDue(told.state, at)) return () => told.do("end", { reason: "ttl" });
  if (idlePauseDue(told.state, at)) return () => told.do("pause", { reason: "idle" });
  if (detailDue(told.state, at)) return () => told.do("foldJournal", { upTo: told.state.seq });
  return null;
}

/**
 * Acts until no action is due; false when the session was removed. Each action must append events.
 */
function swept(told: Story): boolean {
  for (let due = dueNow(told); due !== null; due = dueNow(told)) {
    if (due === "remove") return false;
    const { seq } = told.state;
    due();
    expect(told.state.seq).toBeGreaterThan(seq);
  }
  return true;
}

describe("dueAt", () => {
  it("is never later than an action that a rule finds due, and never in the past once that action is done", () => {
    const policy = { sessionTtl: 3 * DAY, endedKept: 5 * DAY };
    const time = fc.record({ pass: fc.nat(40 * DAY), step: fc.integer({ min: -DAY, max: DAY }) });
    const times = fc.array(time, { minLength: 1, maxLength: 4 });
    let acted = 0;
    fc.assert(
      fc.property(choices(40), times, fc.boolean(), (all, later, steps) => {
        const told = randomStory(all, undefined, policy);
        for (const { pass, step } of later) {
          if (steps) told.time.clock.step(step);
          told.pass(pass);
          const { steady, graceUntil } = told.time.at();
          if (dueNow(told) !== null) {
            acted++;
            expect(next(told)).toBeLessThanOrEqual(steady);
          }
          if (!swept(told)) return;
          // A stepped clock or a new boot may cause extra checks, but no rule acts on them.
          if (steps || steady < graceUntil) continue;
          expect(next(told) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(steady);
        }
      }),
      { numRuns: 2000, seed: freshSeed("due") },
    );
    expect(acted).toBeGreaterThan(100);
  });

  it("is null after a person's token expired: the wait goes on without a further check", () => {
    const told = story().prompt();
    told.ask("t1", {}, { token: told.secret(told.in(MINUTE)) });
    expect(next(told)).toBe(told.time.at().steady + MINUTE);
    told.pass(MINUTE);
    swept(told);
    expect(told.wait.token?.status).toBe("expired");
    expect(next(told)).toBe(null);
  });

  it("is steady time: a deadline set on a clock that runs ahead is looked at on time", () => {
    const told = story().prompt();
    told.time.clock.step(8 * 60 * MINUTE);
    told.stand("external");
    expect(next(told)).toBe(told.time.at().steady + 10 * MINUTE);
  });

  it("is null while a run cannot expire: it is being cancelled, or is unreachable", () => {
    const cancelled = story().prompt().stand("external").cancel();
    expect(next(cancelled)).toBe(null);
    const unreachable = story().prompt().stand("external");
    unreachable.do("unreachable", { runId: unreachable.run.id, holderId: null });
    expect(next(unreachable)).toBe(null);
  });
});
