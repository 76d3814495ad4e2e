/** Journals content of the agent's own session, as parts marked `recovered`. */

import { type EventBody, HostError, type SessionState } from "@holdfast/protocol";
import type { Policy } from "../../base/policy.ts";
import { notEnded, rule } from "./rule.ts";

export const recover = rule("recover", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const { agentSessionId, of, parts } = input;
  if (state.runtime.agentSessionId !== agentSessionId) {
    return new HostError(
      "late_event",
      `The agent's session ${agentSessionId} is not this session's any more; nothing was taken of it.`,
    );
  }
  if (isFull(state, of, at.policy)) return [];
  return parts.map(
    (part): EventBody =>
      of === null
        ? { kind: "agent.spoke", part, recovered: true }
        : { kind: "part.added", ...of, part, recovered: true },
  );
});

/** Limits recovered content, because a faulty agent may report more with each load. */
function isFull(
  { run, spoken }: SessionState,
  of: { runId: string } | null,
  { spokenBetween, runSaid }: Policy,
): boolean {
  if (of === null) return spoken > spokenBetween;
  return run?.id === of.runId && run.said > runSaid;
}
