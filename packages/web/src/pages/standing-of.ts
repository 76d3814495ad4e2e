/** How a session stands, as far as it decides what a person can do next. Pure. */

import type { Connection, OutboxItem, SessionSnapshot } from "@holdfast/client";
import { openRun, type StatusView } from "@holdfast/protocol";
import type { Sending, Stop } from "../components/composer.tsx";
import type { PausedShown } from "../components/paused-bar.tsx";
import type { SessionShown } from "../components/session-screen.tsx";
import { lookUp, pauses } from "../words/story.ts";

export type Standing = Pick<SessionSnapshot, "session" | "state" | "run">;

/** While a run is open it can be stopped, whether it works, waits for somebody or sleeps. */
export function stopOf({ state }: Standing, outbox: readonly OutboxItem[]): Stop {
  const run = state === null ? null : openRun(state);
  if (run === null) return "none";
  if (run.cancel !== null) return "stopping";
  const isKept = outbox.some(
    ({ action, refusal }) =>
      action.type === "cancel" && action.runId === run.id && refusal === null,
  );
  return isKept ? "kept" : "can";
}

/** What a message would do that is sent now. */
export function sendingOf({ session, run, state }: Standing, connection: Connection): Sending {
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

/** A session that sleeps, with or without a run in it, and whether it can be woken here. */
export function pausedOf(
  { session, state, run }: Standing,
  status: StatusView | null,
): PausedShown | null {
  if (session === null || state === null || session.lifecycle === "ended") return null;
  const isInterrupted = state.run?.outcome === "interrupted" && !state.run.dismissed;
  const isRun = run?.isPaused === true;
  const isAsleep = session.lifecycle === "paused" || isRun;
  if (!isAsleep || isInterrupted || session.runtime.state === "starting") return null;
  const reason = run?.pausedReason ?? state.paused?.reason ?? null;
  return {
    isRun,
    why: reason === null ? null : (lookUp(pauses, reason) ?? null),
    // Also one that was put away before it was ever up, which needs nothing but may be wanted.
    canResume: status?.isResumable === true && status.reason !== "already_running",
    hindrance: hindranceOf(status),
    nextRung: status?.nextRung ?? null,
  };
}

/** Why the host would bring nothing up; null when it would, or nobody has asked it yet. */
export function hindranceOf(status: StatusView | null): string | null {
  if (status === null) return null;
  if (status.isResumable && status.notice?.code !== "silent") return status.notice?.message ?? null;
  return status.isResumable ? null : (status.notice?.message ?? "It cannot be brought up now.");
}

type Facts = NonNullable<SessionShown["banner"]>["facts"];

export function bannerOf(
  { state }: Standing,
  status: StatusView | null,
  facts: Facts,
): SessionShown["banner"] {
  const run = state?.run ?? null;
  if (run?.outcome !== "interrupted" || run.dismissed || run.interruption === null) return null;
  const canContinue = status === null || status.isResumable;
  return {
    ...{ reason: run.interruption, at: run.endedAt ?? run.lastEventAt, facts },
    ...{ nextRung: status?.nextRung ?? null, notice: hindranceOf(status), canContinue },
  };
}

/** Interrupted work that was dismissed, or cancelled, can still be taken up from its place. */
export function canTakeUp({ state, session }: Standing): boolean {
  const run = state?.run ?? null;
  if (session?.lifecycle === "ended" || run === null) return false;
  return run.outcome === "interrupted" && run.dismissed;
}

/** Whatever may change the host's answer about bringing it up; it is asked again when this differs. */
export function standingKey({ session, state, run }: Standing): string {
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
