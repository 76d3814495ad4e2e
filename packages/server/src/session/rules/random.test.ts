import { deriveStatus, type Event, foldAll, HostError, outcomeOf } from "@holdfast/protocol";
import { eventBody } from "@holdfast/protocol/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rules } from "./index.ts";
import { choices, freshSeed, randomStory } from "./testing/random-story.ts";
import { splitFolds } from "./testing/split-folds.ts";
import { type Story, story } from "./testing/story.ts";

describe("random commands", () => {
  it("make journals that fold to the same from zero and in pieces, split anywhere [P14] [R002-1] [R002-58]", () => {
    splitFolds(1000);
  });

  it("give every run at most one outcome, and a settled one exactly one [P13]", () => {
    fc.assert(
      fc.property(choices(60), (all) => {
        const told = randomStory(all);
        const outcomes = outcomesOf(told.events);
        for (const event of told.events) {
          if (event.kind !== "run.started") continue;
          const open = event.runId === told.run.id && told.run.outcome === null;
          expect(outcomes.get(event.runId) ?? 0).toBe(open ? 0 : 1);
        }
      }),
      { numRuns: 1000, seed: freshSeed("outcomes") },
    );
  });

  it("are events of the schema, say a status exactly when it changes, and refuse in known words", () => {
    fc.assert(
      fc.property(choices(40), (all) => {
        const told = randomStory(all, (name, decision, before) => {
          if (decision instanceof HostError) {
            expect(decision.message.length, name).toBeGreaterThan(15);
            return;
          }
          for (const body of decision) expect(eventBody.parse(body)).toEqual(body);
          const word = deriveStatus(before.state, before.time.at()).status;
          const said = decision.filter((event) => event.kind === "status.derived");
          const after = foldAll(stamp(before, decision), before.state);
          const now = deriveStatus(after, before.time.at()).status;
          expect(said.map((event) => event.status)).toEqual(word === now ? [] : [now]);
        });
        expect(told.state.recovery.derived ?? "idle").toBe(told.derived.status);
        expect(told.events.map((event) => event.seq)).toEqual(told.events.map((_, i) => i + 1));
      }),
      { numRuns: 1000, seed: freshSeed("statuses") },
    );
  });

  it("leave every tool call of a run that is over with exactly one result [RX-4]", () => {
    fc.assert(
      fc.property(choices(60), (all) => {
        const told = randomStory(all);
        for (const message of told.transcript.messages) {
          if (message.status === "running") continue;
          const open = message.contentParts.filter(
            (part) => part.type === "tool" && part.status === "running",
          );
          expect(open).toEqual([]);
        }
      }),
      { numRuns: 500, seed: freshSeed("tool results") },
    );
  });

  it("decide the same every time: the rules keep no state of their own [R002-1] [R002-5]", () => {
    fc.assert(
      fc.property(choices(40), (all) => {
        expect(randomStory(all).events).toEqual(randomStory(all).events);
      }),
      { numRuns: 200, seed: freshSeed("determinism") },
    );
  });
});

describe("races at the end of a run", () => {
  const ends: ((told: Story) => unknown)[] = [
    (told) => told.decide("complete", { ...told.who, stopReason: "end_turn" }),
    (told) => told.decide("cancel", { runId: told.run.id }),
    (told) => told.decide("settleCancel", { runId: told.run.id }),
    (told) => told.decide("processDied", { runId: told.run.id, reason: "process_exit" }),
    (told) => told.decide("processDied", { runId: told.run.id, reason: "process_restart" }),
    (told) => fail(told, "content_policy"),
    (told) => fail(told, "timeout"),
    (told) => told.decide("end", { reason: "explicit" }),
  ];

  it("leave exactly one outcome, whichever order they come in: 2000 runs [P13]", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(ends.length - 1), { minLength: 1, maxLength: 12 }), (order) => {
        const told = story().prompt().launch().say("x");
        const { id } = told.run;
        for (const i of [...order, 0, 3]) {
          const decision = ends[i]?.(told) as ReturnType<Story["decide"]>;
          if (!(decision instanceof HostError)) told.append(decision);
        }
        expect(outcomesOf(told.events).get(id)).toBe(1);
      }),
      { numRuns: 2000, seed: freshSeed("races") },
    );
  });

  it("of two writers who decided on the same state, only one fits the journal [P13]", () => {
    // The second writer's events carry a taken seq; a decision on the new state is refused.
    for (const first of ends) {
      for (const second of ends) {
        const told = story().prompt().launch();
        const { id } = told.run;
        const decision = first(told) as ReturnType<Story["decide"]>;
        if (!(decision instanceof HostError)) told.append(decision);
        const other = second(told) as ReturnType<Story["decide"]>;
        if (!(other instanceof HostError)) told.append(other);
        expect(outcomesOf(told.events).get(id) ?? 0).toBeLessThanOrEqual(1);
      }
    }
  });
});

it("a story of every command there is can be told by random choices", () => {
  // `create` comes only first, `fork` only in a copied session, and `announce` only after an
  // outdated status.
  const never = ["create", "fork", "announce"];
  const missing = new Set(Object.keys(rules).filter((name) => !never.includes(name)));
  fc.assert(
    fc.property(choices(300), (all) => {
      if (missing.size === 0) return;
      randomStory(all, (name, decision) => {
        if (!(decision instanceof HostError) && decision.length > 0) missing.delete(name);
      });
    }),
    { numRuns: 1000, seed: freshSeed("coverage") },
  );
  expect([...missing]).toEqual([]);
});

function outcomesOf(events: readonly Event[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (outcomeOf(event.kind) === undefined) continue;
    const { runId } = event as { runId: string };
    counts.set(runId, (counts.get(runId) ?? 0) + 1);
  }
  return counts;
}

function stamp(told: Story, decision: readonly object[]): Event[] {
  const ts = new Date(told.time.clock.now()).toISOString();
  return decision.map((body, i) => ({ seq: told.state.seq + 1 + i, ts, ...body }) as Event);
}

function fail(told: Story, code: string) {
  return told.decide("failAttempt", { ...told.who, error: { code, message: "It failed." } });
}
