/** Views of sessions and runs for replies, from the durable state. */

import {
  HostError,
  type RunRecord,
  type RunView,
  runView,
  type SessionId,
  type SessionState,
  type SessionView,
  sessionView,
  startedRun,
} from "@holdfast/protocol";
import type { CallerSessions } from "../../session/sessions.ts";

export function showSession(
  { epoch }: CallerSessions,
  state: SessionState,
  damage: SessionView["damage"] = null,
): SessionView {
  return sessionView(state, { epoch, damage });
}

export async function showSessionNow(
  sessions: CallerSessions,
  id: SessionId,
): Promise<SessionView> {
  return showSession(sessions, await sessions.state(id));
}

export function showStarted(sessions: CallerSessions, state: SessionState): RunView | null {
  return startedRun(state, momentOf(sessions, state.id as SessionId));
}

type Opened = Pick<Awaited<ReturnType<CallerSessions["open"]>>, "state" | "transcript">;

export function showRecord(
  sessions: CallerSessions,
  { state, transcript }: Opened,
  record: RunRecord,
): RunView {
  return runView(state, transcript, record, momentOf(sessions, state.id as SessionId));
}

export async function showRun(
  sessions: CallerSessions,
  session: SessionId,
  runId: string,
): Promise<RunView> {
  const opened = await sessions.open(session);
  const record = opened.transcript.runs.find(({ id }) => id === runId);
  if (record === undefined) throw new HostError("run_not_found", "Run not found");
  return showRecord(sessions, opened, record);
}

function momentOf(sessions: CallerSessions, session: SessionId) {
  return { epoch: sessions.epoch, followers: sessions.followers(session) };
}
