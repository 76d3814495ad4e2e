/**
 * The only place where status is derived. Words come from the journal alone; the host's own epoch
 * says whether a runtime is still in anyone's hand. Time never changes a word by itself: the sweep
 * appends an event, and the event does.
 */

import type { RunState, RuntimeState, SessionState } from "./session.ts";
import type { NeedKind, SessionWord, Status } from "./vocabulary.ts";

export const lifecycles = ["creating", "active", "paused", "ended"] as const;
export const runStatuses = [
  "running",
  "awaiting_approval",
  "paused",
  "completed",
  "cancelled",
  "error",
  "interrupted",
] as const;

export type Lifecycle = (typeof lifecycles)[number];
export type RunStatus = (typeof runStatuses)[number];

export interface Derived {
  readonly lifecycle: Lifecycle;
  readonly status: Status;
  readonly runStatus: RunStatus | null;
  /** Why a paused run stands still. */
  readonly pausedReason: string | null;
  readonly runtime: RuntimeState["state"];
  /** An open run of an earlier life: recovery has to settle it. */
  readonly stale: boolean;
}

export interface Moment {
  readonly epoch: number;
}

export function deriveStatus(state: SessionState, moment: Moment): Derived {
  const run = state.run;
  const runtime = runtimeOf(state, moment);
  return {
    lifecycle: lifecycleOf(state, runtime),
    status: statusOf(run),
    runStatus: run && runStatusOf(run),
    pausedReason: run && run.outcome === null ? pausedReasonOf(run) : null,
    runtime,
    stale: run !== null && run.outcome === null && run.epoch < moment.epoch,
  };
}

export interface Need {
  readonly kind: NeedKind;
  /** When it began: the question's own time, the end of the run, or the failed start. */
  readonly since: string;
}

/** The reason why the session needs somebody; null while it needs nobody. */
export function needOf(state: SessionState): Need | null {
  const { run, ended, recovery } = state;
  if (ended !== null) return null;
  const status = statusOf(run);
  const [wait] = run?.waits ?? [];
  if (status === "waiting" && wait !== undefined) return { kind: "waiting", since: wait.openedAt };
  if (status === "running") return null;
  const since = run?.endedAt ?? state.updatedAt;
  const stopped = run?.dismissed === true ? null : run?.outcome;
  if (stopped === "interrupted") return { kind: "interrupted", since };
  // A start that failed after the run was dismissed is news.
  const hasFailed = stopped === "failed" || recovery.reviveError !== null;
  if (!hasFailed) return null;
  const isStart = stopped !== "failed";
  return { kind: "failed", since: (isStart ? recovery.reviveError?.at : undefined) ?? since };
}

/** The session in one word. A sleeping agent does not change it: finished work stays done. */
export function wordOf(state: SessionState, moment: Moment): SessionWord {
  const { lifecycle, status, runtime, runStatus } = deriveStatus(state, moment);
  if (lifecycle === "ended") return "ended";
  const need = needOf(state);
  if (need !== null) return need.kind;
  if (runtime === "unreachable") return "unreachable";
  if (status === "running") {
    return lifecycle === "paused" || runStatus === "paused" ? "paused" : "working";
  }
  if (state.run === null) return "new";
  const { outcome, dismissed } = state.run;
  if (outcome === "cancelled") return "cancelled";
  return dismissed && outcome !== "completed" ? "dismissed" : "done";
}

function statusOf(run: RunState | null): Status {
  if (run === null) return "idle";
  if (run.outcome === "interrupted" && !run.dismissed) {
    return run.interruption === "wait_timeout" ? "interrupted_waiting" : "interrupted_startup";
  }
  if (run.outcome !== null) return "idle";
  return run.waits.length > 0 ? "waiting" : "running";
}

function runStatusOf(run: RunState): RunStatus {
  switch (run.outcome) {
    case "completed":
      return "completed";
    case "cancelled":
      return "cancelled";
    case "failed":
      return "error";
    case "interrupted":
      return "interrupted";
    default:
      if (pausedReasonOf(run) !== null) return "paused";
      return run.waits.length > 0 ? "awaiting_approval" : "running";
  }
}

function pausedReasonOf(run: RunState): string | null {
  return run.unreachable ? "unreachable" : run.paused;
}

function runtimeOf(state: SessionState, moment: Moment): RuntimeState["state"] {
  const { state: word, epoch } = state.runtime;
  if (state.run !== null && state.run.outcome === null && state.run.unreachable)
    return "unreachable";
  // A runtime nobody adopted in this life is gone; saying so needs no event per idle session.
  return word !== "none" && word !== "unreachable" && epoch < moment.epoch ? "none" : word;
}

function lifecycleOf(state: SessionState, runtime: RuntimeState["state"]): Lifecycle {
  if (state.ended !== null) return "ended";
  if (!state.runtime.seen) return state.paused === null ? "creating" : "paused";
  if (runtime === "live" || runtime === "starting")
    return state.paused === null ? "active" : "paused";
  return "paused";
}
