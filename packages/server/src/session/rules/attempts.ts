/** One launch or prompt within a run; a transient error starts another, within a budget. */

import { type EventBody, HostError, type RunState, type SessionState } from "@holdfast/protocol";
import { closing, closingQuestions } from "./ending.ts";
import { attemptRule, type Moment } from "./rule.ts";
import { settleCancel } from "./runs.ts";
import { again } from "./start.ts";

/** The agent took the prompt. Delivering it again would run it twice. */
export const accept = attemptRule("accept", (run, input) => {
  if (run.attempt.accepted) return [];
  return [{ kind: "attempt.accepted", ...input }];
});

export const failAttempt = attemptRule("failAttempt", (run, input, at, state) => {
  if (run.cancel !== null) return settleCancel(state, { runId: run.id }, at);
  const { code, message } = input.error;
  const transient = isTransient(input.error);
  const error = { code, message, transient };
  const failed: EventBody = {
    kind: "attempt.failed",
    runId: run.id,
    attempt: run.attempt.n,
    error,
  };
  if (!transient || run.attempt.effects || run.retries >= at.policy.transientRetries) {
    return failing(run, error);
  }
  if (run.unreachable) return notKnown(run);
  // If the attempt produced no output, the prompt is sent again unchanged; otherwise the agent is
  // asked to go on.
  const way = run.attempt.heard ? input.way : "prompt";
  return [failed, ...closingQuestions(run, "retried"), ...again(run, "transient", way, at)];
});

function failing(run: RunState, error: { code: string; message: string; transient: boolean }) {
  return [...closing(run, "failed"), { kind: "run.failed", runId: run.id, error }] as EventBody[];
}

function notKnown(run: RunState): HostError {
  return new HostError(
    "unreachable",
    `Run ${run.id} may still be running, so nothing else must start yet. Try again in a minute.`,
  );
}

const transientCodes = new Set([
  "timeout",
  "rate_limit",
  "rate_limited",
  "overloaded",
  "overloaded_error",
  "server_error",
  "connection_lost",
  "launch_failed",
]);

/** Final errors whatever the provider's status: a retry gets the same answer. */
const finalCodes = new Set(["content_policy", "content_filter", "refusal"]);

/** Timeouts, 5xx, rate limits and overload are transient; every other 4xx is final. */
export function isTransient(error: { code: string; status?: number | undefined }): boolean {
  const { code, status } = error;
  if (finalCodes.has(code)) return false;
  if (status !== undefined && status >= 400)
    return status >= 500 || status === 429 || status === 408;
  return transientCodes.has(code);
}

/** True when a launch had no output within `launchSilence`, measured in real time. */
export function launchOverdue(state: SessionState, silence: number, at: Moment): boolean {
  const run = state.run;
  if (run === null || run.outcome !== null || run.waits.length > 0) return false;
  // A paused agent is silent on purpose, and the output of an unreachable one cannot arrive.
  if (run.paused !== null || run.unreachable) return false;
  return !run.attempt.heard && silence >= at.policy.launchSilence;
}
