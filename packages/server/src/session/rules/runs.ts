/** A run: from `run.started` to exactly one outcome. */

import {
  type EventBody,
  HostError,
  type InterruptReason,
  type RunState,
  type SessionState,
} from "@holdfast/protocol";
import { closing } from "./ending.ts";
import { andThen, currentAttempt, type Decision, type Moment, openRunOf, rule } from "./rule.ts";
import { advance, again, unpausing } from "./start.ts";

/** The agent's turn is over. Once a cancel is durable, the outcome is `cancelled` whatever it says. */
export const complete = rule("complete", (state, input, at) => {
  const run = currentAttempt(state, input);
  if (run instanceof HostError) return run;
  const { runId, attempt, usage, stopReason, lastMessageId } = input;
  const last = lastMessageId === undefined ? {} : { lastMessageId };
  const used: EventBody[] =
    usage === undefined ? [] : [{ kind: "usage.reported", runId, attempt, ...usage }];
  if (run.cancel !== null) {
    return andThen(state, used, at, (next) => cancelled(next, next.run ?? run, at));
  }
  const ended: EventBody[] = [
    ...used,
    ...closing(run, "completed"),
    { kind: "run.completed", runId: run.id, stopReason, ...last },
  ];
  return andThen(state, ended, at, (next) => advance(next, at));
});

/** The wish to cancel, durable before anyone acts on it. First cancel wins; later ones change nothing. */
export const cancel = rule("cancel", (state, input) => {
  const run = openRunOf(state, input.runId);
  return run instanceof HostError ? run : cancelling(run, input.by);
});

export function cancelling(run: RunState, by: string): EventBody[] {
  if (run.cancel !== null) return [];
  const denied = run.approvals.filter((open) => open.decision === null && !open.withdrawn);
  return [
    { kind: "run.cancel_requested", runId: run.id, by },
    ...run.waits.flatMap((wait): EventBody[] =>
      wait.token?.status === "active"
        ? [{ kind: "token.revoked", runId: run.id, tokenId: wait.token.id, reason: "cancelled" }]
        : [],
    ),
    ...denied.flatMap((approval) => denying(run, approval.id, by)),
  ];
}

/** Whoever cancels also answers the open question: the agent must hear a no before it can stop. */
function denying(run: RunState, approvalId: string, by: string): EventBody[] {
  const wait = run.waits.find((open) => open.approvalId === approvalId);
  return [
    {
      kind: "approval.decided",
      runId: run.id,
      approvalId,
      decision: "deny",
      by,
      reason: "the run was cancelled",
    },
    ...(wait === undefined
      ? []
      : ([{ kind: "run.resumed", runId: run.id, waitId: wait.id, by }] as const)),
  ];
}

/** Nothing of the run can act any more: the cancel becomes its outcome. */
export const settleCancel = rule("settleCancel", (state, input, at) => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  if (run.cancel === null) {
    return new HostError("not_open", `Nobody asked to cancel ${run.id}.`);
  }
  return cancelled(state, run, at);
});

function cancelled(state: SessionState, run: RunState, at: Moment): Decision {
  const ended: EventBody[] = [
    ...closing(run, "cancelled"),
    { kind: "run.cancelled", runId: run.id, reason: run.cancel?.by ?? "user" },
  ];
  // After a cancel the queue stays parked, except for the message that asked for it.
  return andThen(state, ended, at, (next) =>
    next.queue[0]?.urgent === true ? advance(next, at) : [],
  );
}

/**
 * Positive proof exists that no process of the run can act. A run that waits on a decision outlives
 * its processes and stays answerable, so only its deadline interrupts it.
 */
export const interrupt = rule("interrupt", (state, input, at) => {
  const { runId, attempt } = input;
  const run =
    attempt === undefined ? openRunOf(state, runId) : currentAttempt(state, { runId, attempt });
  if (run instanceof HostError) return run;
  // A cancel that was durable before the crash is delivered, not turned into an interruption.
  if (run.cancel !== null) return cancelled(state, run, at);
  if (run.waits.length > 0) return run.unreachable ? standing(state, run, input.reason, at) : [];
  // It was put away on purpose: nothing was interrupted, and it goes on when someone resumes it.
  if (isPutAway(state, run)) return belonging(run, at);
  // Its question was answered, but it died before it heard: the same run goes on with the answer.
  if (owesAnswer(run)) return again(run, "answered", "continue", at);
  // No agent ever took the prompt, so nothing was interrupted: the new life delivers it.
  if (!run.attempt.accepted && input.reason === "process_restart") return belonging(run, at);
  return interrupting(run, input.reason, at);
});

function isPutAway({ paused }: SessionState, run: RunState): boolean {
  return run.paused === "explicit" || (run.paused === "abandoned" && paused !== null);
}

/** The current launch was given an answer that it never got. */
export function owesAnswer(run: RunState): boolean {
  if (run.results.some((owed) => owed.attempt === run.attempt.n)) return true;
  return run.approvals.some(
    (asked) =>
      asked.attempt === run.attempt.n &&
      asked.decision !== null &&
      !asked.delivered &&
      !asked.withdrawn,
  );
}

/** Now that its processes are known to be dead, its question can be answered again. */
function standing(state: SessionState, run: RunState, reason: string, at: Moment): EventBody[] {
  const { epoch, bootId } = at;
  return [
    ...(state.runtime.state === "none" ? [] : ([{ kind: "agent.exited", reason }] as const)),
    { kind: "run.adopted", runId: run.id, epoch, bootId },
  ];
}

export function interrupting(run: RunState, reason: InterruptReason, at: Moment): EventBody[] {
  return [
    ...closing(run, reason),
    { kind: "run.interrupted", runId: run.id, reason, bootId: at.bootId },
  ];
}

/** Nobody can say whether its processes live: it stays open, and nothing may load or launch. */
export const unreachable = rule("unreachable", (state, input) => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  if (run.unreachable) return [];
  return [{ kind: "run.unreachable", runId: run.id, holderId: input.holderId }];
});

/** Its holder lives and answers to this host: the run was never interrupted. */
export const adopt = rule("adopt", (state, input, at) => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  if (run.epoch > at.epoch) {
    return new HostError("fenced", `Run ${run.id} belongs to a newer host (epoch ${run.epoch}).`);
  }
  return belonging(run, at);
});

/** From here on the run is this life's. */
function belonging(run: RunState, { epoch, bootId }: Moment): EventBody[] {
  if (run.epoch === epoch && !run.unreachable) return [];
  return [{ kind: "run.adopted", runId: run.id, epoch, bootId }];
}

/** Advisory only: an event that says since when nothing was heard. */
export const notice = rule("notice", (state, input) => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  // Silence is a sign only of a run that is expected to speak.
  if (run.silentSince !== null || run.waits.length > 0) return [];
  if (run.paused !== null || run.unreachable) return [];
  return [{ kind: "run.silent", runId: run.id, since: run.lastEventAt }];
});

export const dismiss = rule("dismiss", (state, input) => {
  const run = state.run;
  const isUnstarted = state.recovery.reviveError !== null && run?.outcome != null;
  const isStopped = run?.outcome === "interrupted" || run?.outcome === "failed" || isUnstarted;
  if (run === null || run.id !== input.runId || !isStopped) {
    return new HostError(
      "not_interrupted",
      `Run ${input.runId} is not an interrupted or failed run to dismiss.`,
    );
  }
  if (run.dismissed && !isUnstarted) return [];
  return [{ kind: "run.dismissed", runId: run.id }];
});

export const pauseRun = rule("pauseRun", (state, input) => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  return run.paused === input.reason
    ? []
    : [{ kind: "run.paused", runId: run.id, reason: input.reason }];
});

export const unpauseRun = rule("unpauseRun", (state, input, at) => {
  const run = openRunOf(state, input.runId);
  if (run instanceof HostError) return run;
  if (run.paused === null) {
    return new HostError("not_paused", `Run ${run.id} is not paused; nothing to resume.`);
  }
  return unpausing(state, run, input.by, at);
});

/** Whether it has run unseen for too long. A run that waits for a person costs nothing by waiting. */
export function unwatched(run: RunState, unseen: number, at: Moment): boolean {
  const { unwatchedLimit } = at.policy;
  if (unwatchedLimit === null || unseen < unwatchedLimit) return false;
  const stands = run.paused !== null || run.unreachable || run.waits.length > 0;
  return !stands && run.cancel === null && run.attempt.accepted;
}
