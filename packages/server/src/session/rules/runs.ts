/** A run: from `run.started` to exactly one outcome. */

import {
  type EventBody,
  HostError,
  type InterruptReason,
  type RunState,
  type SessionState,
  STOP_REASON,
} from "@holdfast/protocol";
import { closing } from "./ending.ts";
import {
  andThen,
  attemptRule,
  currentAttempt,
  type Decision,
  type Moment,
  notEnded,
  openRunOf,
  rule,
  runRule,
} from "./rule.ts";
import { advance, again, unpausing } from "./start.ts";

/** The agent's turn is over. After a durable cancel the outcome is `cancelled` in any case. */
export const complete = attemptRule("complete", (run, input, at, state) => {
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

/** Records a cancel before the host acts on it; the first cancel wins. */
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

/** A cancel denies the open question, because the agent needs an answer before it can stop. */
function denying(run: RunState, approvalId: string, by: string): EventBody[] {
  const wait = run.waits.find((open) => open.approvalId === approvalId);
  return [
    {
      kind: "approval.decided",
      runId: run.id,
      approvalId,
      decision: "deny",
      by,
      reason: STOP_REASON,
    },
    ...(wait === undefined
      ? []
      : ([{ kind: "run.resumed", runId: run.id, waitId: wait.id, by }] as const)),
  ];
}

/** The run can no longer act: the cancel becomes its outcome. */
export const settleCancel = runRule("settleCancel", (run, _input, at, state) => {
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
  // After a cancel the queue stays parked, except for the urgent message that caused the cancel.
  return andThen(state, ended, at, (next) =>
    next.queue[0]?.urgent === true ? advance(next, at) : [],
  );
}

/** All processes are proved dead; a run that waits for a decision stays answerable. */
export const processDied = rule("processDied", (state, input, at) => {
  const { runId, attempt } = input;
  const run =
    attempt === undefined ? openRunOf(state, runId) : currentAttempt(state, { runId, attempt });
  if (run instanceof HostError) return run;
  // A cancel that was durable before the crash ends the run as cancelled, not as interrupted.
  if (run.cancel !== null) return cancelled(state, run, at);
  if (run.waits.length > 0) return run.unreachable ? standing(state, run, input.reason, at) : [];
  // The run was paused on purpose: it goes on when it is resumed.
  if (isPutAway(state, run)) return belonging(run, at);
  // The agent died before it received an answer: the same run goes on with the answer in a new
  // attempt.
  if (owesAnswer(run)) return again(run, "answered", "continue", at);
  // The host restarted before the prompt was accepted: the new host sends it.
  if (!run.attempt.accepted && input.reason === "process_restart") return belonging(run, at);
  return interrupting(run, input.reason, at);
});

function isPutAway({ paused }: SessionState, run: RunState): boolean {
  return run.paused === "explicit" || (run.paused === "abandoned" && paused !== null);
}

/** True when an answer for the current launch was never delivered. */
function owesAnswer(run: RunState): boolean {
  if (run.results.some((owed) => owed.attempt === run.attempt.n)) return true;
  return run.approvals.some(
    (asked) =>
      asked.attempt === run.attempt.n &&
      asked.decision !== null &&
      !asked.delivered &&
      !asked.withdrawn,
  );
}

/** Settles an unreachable run whose processes are proved dead; its question stays open. */
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

/** The run's processes may live or not: it stays open, and launches are refused. */
export const unreachable = runRule("unreachable", (run, input) => {
  if (run.unreachable) return [];
  return [{ kind: "run.unreachable", runId: run.id, holderId: input.holderId }];
});

/** The run's holder is alive and connected to this host: the run was never interrupted. */
export const adopt = runRule("adopt", (run, _input, at) => {
  if (run.epoch > at.epoch) {
    return new HostError("fenced", `Run ${run.id} belongs to a newer host (epoch ${run.epoch}).`);
  }
  return belonging(run, at);
});

function belonging(run: RunState, { epoch, bootId }: Moment): EventBody[] {
  if (run.epoch === epoch && !run.unreachable) return [];
  return [{ kind: "run.adopted", runId: run.id, epoch, bootId }];
}

/** Advisory only: records since when the run has been silent. */
export const notice = runRule("notice", (run) => {
  // Silence matters only for a run that is expected to produce output.
  if (run.silentSince !== null || run.waits.length > 0) return [];
  if (run.paused !== null || run.unreachable) return [];
  return [{ kind: "run.silent", runId: run.id, since: run.lastEventAt }];
});

export const dismiss = rule("dismiss", (state, input) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const run = state.run;
  const isUnstarted = state.recovery.reviveError !== null && run?.outcome != null;
  const isStopped = run?.outcome === "interrupted" || run?.outcome === "failed" || isUnstarted;
  if (run === null || run.id !== input.runId || !isStopped) {
    return new HostError(
      "not_interrupted",
      `Only an interrupted or failed run can be dismissed; run ${input.runId} is neither.`,
    );
  }
  if (run.dismissed && !isUnstarted) return [];
  return [{ kind: "run.dismissed", runId: run.id }];
});

export const pauseRun = runRule("pauseRun", (run, input) => {
  return run.paused === input.reason
    ? []
    : [{ kind: "run.paused", runId: run.id, reason: input.reason }];
});

export const unpauseRun = runRule("unpauseRun", (run, input, at, state) => {
  if (run.paused === null) {
    return new HostError("not_paused", `Run ${run.id} is not paused.`);
  }
  return unpausing(state, run, input.by, at);
});

/** True when a working run had no follower for too long; waiting for a person is free. */
export function unwatched(run: RunState, unseen: number, at: Moment): boolean {
  const { unwatchedLimit } = at.policy;
  if (unwatchedLimit === null || unseen < unwatchedLimit) return false;
  const stands = run.paused !== null || run.unreachable || run.waits.length > 0;
  return !stands && run.cancel === null && run.attempt.accepted;
}
