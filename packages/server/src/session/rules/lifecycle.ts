/** Pause, revive and end: transitions of a whole session. Only the end is final. */

import {
  deriveStatus,
  type EventBody,
  HostError,
  openRun,
  type RunState,
  type SessionState,
} from "@holdfast/protocol";
import type { Policy } from "../../base/policy.ts";
import { closing } from "./ending.ts";
import { type Moment, notEnded, rule } from "./rule.ts";
import { unpausing } from "./start.ts";

export const pause = rule("pause", (state, input) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  if (state.paused !== null) return [];
  const run = openRun(state);
  // A message started a run before the idle pause was decided.
  if (run !== null && input.reason === "idle") return [];
  const paused: EventBody[] =
    run === null ? [] : [{ kind: "run.paused", runId: run.id, reason: input.reason }];
  return [...paused, { kind: "session.paused", reason: input.reason }];
});

/** Recorded before the runtime starts, so that recovery sees a crash during a revive. */
export const revive = rule("revive", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const { runtime } = deriveStatus(state, at);
  if (runtime === "unreachable") {
    return new HostError(
      "unreachable",
      "The agent may still be running, so another one must not start yet. Try again in a minute.",
    );
  }
  if (runtime === "starting") return new HostError("reviving", "The agent is already starting.");
  if (runtime === "live" && state.paused === null) {
    // The runtime is up already. "fresh" replaces it, and so does a lost folder while it is idle.
    const run = openRun(state);
    const isStranded = input.isFolderGone && run === null;
    if (input.mode !== "fresh" && !isStranded) return [];
    if (run !== null) {
      return new HostError("already_running", `Run ${run.id} is in progress. Cancel it first.`);
    }
  }
  return [{ kind: "session.reviving", mode: input.mode, epoch: at.epoch }];
});

export const revived = rule("revived", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const { epoch, bootId } = at;
  const run = openRun(state);
  const resumed = run?.paused != null ? unpausing(state, run, "revive", at, input.rung) : [];
  const receipt = input.rung === "adopted" ? adopted(state, input.ms, at) : [];
  return [{ kind: "session.resumed", ...input, epoch, bootId }, ...receipt, ...resumed];
});

/** The receipt of an adoption: everything was kept. None for a session without messages. */
function adopted(state: SessionState, ms: number, at: Moment): EventBody[] {
  if (state.lastMessageAt === null) return [];
  const run = openRun(state);
  return [
    {
      kind: "receipt.issued",
      receiptId: at.newId("receipt"),
      rung: "adopted",
      ms,
      runId: run?.id ?? null,
      kept: [`everything; ${meanwhile(run, state.recovery.lastBootSeen === at.bootId)}`],
      lost: [],
      maybeTwice: [],
      evidence: { grade: null, holder: state.runtime.holderId },
    },
  ];
}

/** `isNews` is true when this boot has journalled a change of the run before the adoption. */
function meanwhile(run: RunState | null, isNews: boolean): string {
  if (run === null && isNews) return "the agent ended its run while no host was connected";
  if (run === null) return "no run was open";
  const isAsking = run.waits.some(({ kind }) => kind === "human");
  return isAsking ? "the run waits for your answer" : "the agent kept working without the host";
}

/** The status before the revive applies again; the error is kept and shown. */
export const reviveFailed = rule("reviveFailed", (state, input) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const { code, message } = input.error;
  return [{ kind: "session.revive_failed", error: { code, message } }];
});

/** Records that a launch waits for a free place, so that clients can show the reason. */
export const queueLaunch = rule("queueLaunch", (state, input, at) => {
  const refused = notEnded(state);
  if (refused !== null) return refused;
  if (state.runtime.holderId !== null) return [];
  return [{ kind: "session.launch_queued", ...input, epoch: at.epoch }];
});

/** True when an idle agent should be paused. A later revive restores its session. */
export function idlePauseDue(state: SessionState, at: Moment): boolean {
  const time = idlePauseAt(state, at.policy);
  return time !== null && at.steady >= time && at.now >= time;
}

export function idlePauseAt(state: SessionState, policy: Policy): number | null {
  const { runtime, paused, ended } = state;
  if (runtime.state !== "live" || runtime.holderId === null) return null;
  if (paused !== null || ended !== null || openRun(state) !== null) return null;
  return Date.parse(state.updatedAt) + policy.idlePause;
}

/** Queued messages stay in the queue, so that people can read what was never sent. */
export const end = rule("end", (state, input) => {
  const { ended: before } = state;
  // An ended session can still be deleted, once.
  if (before?.reason === "deleted" || (before !== null && input.reason !== "deleted")) return [];
  if (before !== null) return [{ kind: "session.ended", reason: input.reason }];
  const refused = notEnded(state);
  if (refused !== null) return refused;
  const run = openRun(state);
  const ended: EventBody[] =
    run === null
      ? []
      : [
          ...closing(run, "session ended"),
          { kind: "run.cancelled", runId: run.id, reason: "session ended" },
        ];
  return [...ended, { kind: "session.ended", reason: input.reason }];
});
