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
      launchSilence: 5 * MINUTE,
      silenceNotice: 5 * MINUTE,
      cancelGrace: 5000,
      staleWindow: 10_000,
      idlePause: 5 * MINUTE,
      approvalDeadline: null,
      onOpen: "needed",
      sessionTtl: null,
      endedKept: 30 * DAY,
      runDetailKept: 7 * DAY,
      errorDetailKept: 30 * DAY,
      reviveLimit: 90_000,
      agentReady: MINUTE,
      unwatchedLimit: null,
    });
  });

  it("can be overridden per session where that makes sense, and nowhere else", () => {
    expect(checkOverrides({ launchSilence: 0, sessionTtl: 5 })).toBe(null);
    expect(checkOverrides({ sessionTtl: null })).toBe(null);
    for (const name of ["sweep", "queue", "queueBytes", "endedKept", "holderProbe"]) {
      expect(checkOverrides({ [name]: 1 }), name).toMatchObject({ code: "bad_input" });
    }
  });

  it.each<[string, Record<string, Json>]>([
    ["a name nobody knows", { moon: 1 }],
    ["a name of what nothing obeys yet", { park: 1 }],
    ["a name every object has", { constructor: 1 }],
    ["a name that would poison an object", JSON.parse('{"__proto__":1}')],
    ["a negative time", { launchSilence: -1 }],
    ["half a millisecond", { launchSilence: 0.5 }],
    ["a time past counting", { launchSilence: 2 ** 60 }],
    ["text for a time", { launchSilence: "5 min" }],
    ["nothing for a time that cannot be off", { launchSilence: null }],
    ["a list", { launchSilence: [1] }],
    ["a word nobody knows", { onOpen: "always" }],
    ["a number for a word", { onOpen: 1 }],
    ["every object's own word", { onOpen: "constructor" }],
  ])("refuses %s, and says what would be right", (_, overrides) => {
    const error = checkOverrides(overrides);
    expect(error).toMatchObject({ code: "bad_input" });
    expect(error?.message).toMatch(/Settings that can be set: |must be /);
  });

  it("refuses all mistakes at once, each by its name", () => {
    const error = checkOverrides({ moon: 1, onOpen: "always", launchSilence: -1 });
    for (const name of [
      "policy.moon",
      "policy.onOpen must be one of read,",
      "policy.launchSilence",
    ]) {
      expect(error?.message).toContain(name);
    }
    expect(checkOverrides({ onOpen: "read", approvalDeadline: null })).toBeNull();
  });

  it("of a session is the host's with the session's own over it", () => {
    const state = { ...emptyState, policy: { launchSilence: 7, sessionTtl: 8 } };
    expect(policyOf(state, defaultPolicy)).toEqual({
      ...defaultPolicy,
      launchSilence: 7,
      sessionTtl: 8,
    });
    expect(policyOf(emptyState, defaultPolicy)).toEqual(defaultPolicy);
  });
});
