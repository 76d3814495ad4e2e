/**
 * The only place where status is derived. The words come from the journal alone; the host's epoch
 * tells whether a runtime belongs to the current boot. Time alone never changes a word: the sweep
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
  readonly pausedReason: string | null;
  readonly runtime: RuntimeState["state"];
  /** True for an open run of an earlier boot, which recovery must settle. */
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
  /** Start of the need: the time of the question, of the run's end, or of the failed start. */
  readonly since: string;
}

/** The reason why the session needs a person; null while it needs no one. */
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
  // A failed start counts also after the run was dismissed.
  const hasFailed = stopped === "failed" || recovery.reviveError !== null;
  if (!hasFailed) return null;
  const isStart = stopped !== "failed";
  return { kind: "failed", since: (isStart ? recovery.reviveError?.at : undefined) ?? since };
}

/** The session in one word. Finished work stays `done` while the agent is paused. */
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
  // A runtime that this boot did not adopt is gone; that is derived without an event for each idle
  // session.
  return word !== "none" && word !== "unreachable" && epoch < moment.epoch ? "none" : word;
}

function lifecycleOf(state: SessionState, runtime: RuntimeState["state"]): Lifecycle {
  if (state.ended !== null) return "ended";
  if (!state.runtime.seen) return state.paused === null ? "creating" : "paused";
  if (runtime === "live" || runtime === "starting")
    return state.paused === null ? "active" : "paused";
  return "paused";
}
