import { emptyState, type Json } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { checkOverrides, defaultPolicy, policyOf, policyTable } from "./policy.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe("the policy", () => {
  it("has a reason for every value", () => {
    for (const [name, entry] of Object.entries(policyTable)) {
      expect(entry.why.length, name).toBeGreaterThan(15);
    }
    expect(Object.keys(defaultPolicy)).toEqual(Object.keys(policyTable));
  });

  it("has the values people were promised", () => {
    expect(defaultPolicy).toMatchObject({
      deltaGroup: 50,
      sweep: 5000,
      deadlineGrace: MINUTE,
      transientRetries: 2,
      sandboxRecoveries: 2,
      launchSilence: 5 * MINUTE,
      silenceNotice: 5 * MINUTE,
      cancelGrace: 5000,
      reviveLimit: 90_000,
      agentReady: MINUTE,
      staleExecution: 10_000,
      idleFreeze: 5 * MINUTE,
      waitFreeze: 5 * MINUTE,
      park: DAY,
      unwatchedLimit: null,
      checkpointEvery: 5 * MINUTE,
      sessionTtl: null,
      endedKept: 30 * DAY,
      runDetailKept: 7 * DAY,
      errorDetailKept: 30 * DAY,
      onInterrupt: "ask",
      onOpen: "revive",
      onAbandoned: "freeze",
    });
  });

  it("can be overridden per session where that makes sense, and nowhere else", () => {
    expect(
      checkOverrides({ park: 0, unwatchedLimit: null, sessionTtl: 5, onOpen: "nothing" }),
    ).toBe(null);
    for (const name of ["sweep", "queue", "queueBytes", "endedKept", "holderProbe"]) {
      expect(checkOverrides({ [name]: 1 }), name).toMatchObject({ code: "bad_input" });
    }
  });

  it.each<[string, Record<string, Json>]>([
    ["a name nobody knows", { moon: 1 }],
    ["a name every object has", { constructor: 1 }],
    ["a name that would poison an object", JSON.parse('{"__proto__":1}')],
    ["a negative time", { park: -1 }],
    ["half a millisecond", { park: 0.5 }],
    ["a time past counting", { park: 2 ** 60 }],
    ["text for a time", { park: "5 min" }],
    ["nothing for a time that cannot be off", { park: null }],
    ["a word nobody knows", { onOpen: "explode" }],
    ["a number for a word", { onOpen: 1 }],
    ["a list", { park: [1] }],
  ])("refuses %s, and says what would be right", (_, overrides) => {
    const error = checkOverrides(overrides);
    expect(error).toMatchObject({ code: "bad_input" });
    expect(error?.message).toMatch(/These can: |must be /);
  });

  it("of a session is the host's with the session's own over it", () => {
    const state = { ...emptyState, policy: { park: 7, onInterrupt: "continue" } };
    expect(policyOf(state, defaultPolicy)).toEqual({
      ...defaultPolicy,
      park: 7,
      onInterrupt: "continue",
    });
    expect(policyOf(emptyState, defaultPolicy)).toEqual(defaultPolicy);
  });
});
