import { emptyState, type SessionState } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { story } from "../session/rules/testing/story.ts";
import { launchRung, nextRung } from "./launch.ts";

const loads = { resume: "native", history: "fallback" } as const;
const isTold = { resume: "none", history: "inject" } as const;
const forgets = { resume: "none", history: "never" } as const;

/** The state of a session whose only run is over, and whose host is gone. */
function rested(): SessionState {
  const told = story().prompt("hello").launch();
  told.do("complete", { runId: told.run.id, attempt: 1, stopReason: "end_turn" });
  return told.reboot().state;
}

describe("the rung of the next revive", () => {
  const state = rested();
  const known = { ...state, runtime: { ...state.runtime, agentSessionId: "a1" } };
  const unknown = { ...state, runtime: { ...state.runtime, agentSessionId: null } };
  const at = 1000;

  test("is the agent's own session only for an agent that can load it", () => {
    expect(nextRung(known, loads, at)).toBe("native");
    expect(nextRung(known, isTold, at)).toBe("injected");
    expect(nextRung(unknown, loads, at)).toBe("injected");
  });

  test("is a fresh start without history to tell, or for an agent that is never told", () => {
    expect(nextRung(emptyState, isTold, at)).toBe("fresh");
    expect(nextRung(state, forgets, at)).toBe("fresh");
    expect(nextRung(state, undefined, at)).toBe("fresh");
  });

  test("is the adoption of a holder that may be alive, and none after the session's end", () => {
    const held = { ...known, runtime: { ...known.runtime, holderId: "holder_1" } };
    expect(nextRung(held, loads, at)).toBe("adopted");
    const ended = { ...known, ended: { at: known.updatedAt, reason: "explicit" } };
    expect(nextRung(ended as SessionState, loads, at)).toBeNull();
  });
});

test("a launch tells the history when the agent refused to load its session", () => {
  expect(launchRung(loads, "a1", true)).toBe("native");
  expect(launchRung(loads, null, true)).toBe("injected");
});
