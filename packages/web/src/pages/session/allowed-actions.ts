/** The actions that the state of a session allows. Pure. */

import type { Connection, OutboxItem, SessionSnapshot } from "@holdfast/client";
import {
  interruptionWords,
  openRun,
  pauseWords,
  type SessionState,
  type StatusView,
} from "@holdfast/protocol";
import type { Sending, Stop } from "../../components/composer/composer.tsx";
import type { PausedShown } from "../../components/session/paused-bar.tsx";
import type { SessionShown } from "../../components/session/session-screen.tsx";
import { lookUp } from "../../words/story.ts";

export type SessionMoment = Pick<SessionSnapshot, "session" | "state" | "run">;

/** An open run can be stopped while it works, waits for an answer or is paused. */
export function stopOf({ state }: SessionMoment, outbox: readonly OutboxItem[]): Stop {
  const run = state === null ? null : openRun(state);
  if (run === null) return "none";
  if (run.cancel !== null) return "stopping";
  const asked = outbox.find(
    ({ action, refusal }) =>
      action.type === "cancel" && action.runId === run.id && refusal === null,
  );
  if (asked === undefined) return "can";
  return asked.state === "waiting" ? "kept" : "stopping";
}

export function sendingOf({ session, run, state }: SessionMoment, connection: Connection): Sending {
  if (session?.lifecycle === "ended") return "ended";
  if (connection.state === "away") return "outbox";
  const open = state === null ? null : openRun(state);
  if (open !== null) {
    if (open.paused === "explicit") return "resume";
    return run?.isPaused === true ? "behind_paused" : "queue";
  }
  if (run?.outcome === "interrupted" && state?.run?.dismissed === false) return "leave";
  return session?.lifecycle === "paused" ? "wake" : "start";
}

/** A session that is paused or lost its folder, and whether it can be resumed here. */
export function pausedOf(
  { session, state, run }: SessionMoment,
  status: StatusView | null,
): PausedShown | null {
  if (session === null || state === null || session.lifecycle === "ended") return null;
  const isInterrupted = state.run?.outcome === "interrupted" && !state.run.dismissed;
  const isRun = run?.isPaused === true;
  const isAsleep = session.lifecycle === "paused" || isRun;
  if (isInterrupted || session.runtime.state === "starting") return null;
  if (!isAsleep) return folderGoneOf(state, status);
  const reason = run?.pausedReason ?? state.paused?.reason ?? null;
  return {
    is: isRun ? "run" : reason === null ? "not_running" : "asleep",
    why: reason === null ? endWords(state) : (lookUp(pauseWords, reason) ?? null),
    // True also for a session that was paused before its first start.
    canResume: status?.isResumable === true && status.reason !== "already_running",
    hindrance: hindranceOf(status),
    nextRung: status?.nextRung ?? null,
  };
}

function endWords({ runtime: { agentEnd } }: SessionState): string | null {
  return agentEnd == null ? null : interruptionWords("process_exit", agentEnd);
}

/** An agent that is up without its folder; only an idle one can be restarted in a new folder. */
function folderGoneOf(state: SessionState, status: StatusView | null): PausedShown | null {
  if (status === null || status.notice?.code !== "workspace_missing") return null;
  return {
    is: "folder_gone",
    why: null,
    canResume: status.isResumable && openRun(state) === null,
    hindrance: status.notice.message,
    nextRung: null,
  };
}

/** Why the host would not revive the session; null when it would, or its status is not loaded. */
export function hindranceOf(status: StatusView | null): string | null {
  if (status === null) return null;
  if (status.isResumable && status.notice?.code !== "silent") return status.notice?.message ?? null;
  return status.isResumable
    ? null
    : (status.notice?.message ?? "This session cannot be resumed now.");
}

type Facts = NonNullable<SessionShown["banner"]>["facts"];

export function bannerOf(
  { state }: SessionMoment,
  status: StatusView | null,
  facts: Facts,
): SessionShown["banner"] {
  const run = state?.ended === null ? state.run : null;
  if (run?.outcome !== "interrupted" || run.dismissed || run.interruption === null) return null;
  const canContinue = status === null || status.isResumable;
  return {
    reason: run.interruption,
    agentEnd: run.agentEnd,
    at: run.endedAt ?? run.lastEventAt,
    facts,
    nextRung: status?.nextRung ?? null,
    notice: hindranceOf(status),
    canContinue,
  };
}

/** Changes whenever the host's answer about reviving the session may change. */
export function standingKey({ session, state, run }: SessionMoment): string {
  if (session === null) return "";
  const { runtime, lifecycle, status, recovery } = session;
  const { agentSessionId } = runtime;
  const parts = [runtime.state, agentSessionId, lifecycle, status, run?.id, run?.status];
  const ends = [
    state?.paused?.at,
    state?.runtime.exitedAt,
    recovery.receipts,
    recovery.reviveError,
  ];
  return JSON.stringify([...parts, ...ends]);
}
