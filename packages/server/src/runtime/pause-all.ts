/** Pauses all sessions of all tenants. */

import {
  deriveStatus,
  HostError,
  openRun,
  type RouteReply,
  type SessionId,
  type SessionState,
} from "@holdfast/protocol";
import type { Journal, Standing } from "../journal/journal.ts";
import type { CallerSessions } from "../session/sessions.ts";

export interface PausedAll extends Pick<RouteReply<"pauseHost">, "failed"> {
  readonly paused: readonly SessionId[];
}

interface PauseAllDeps {
  readonly sessions: CallerSessions;
  readonly journal: Journal;
  readonly onError: (session: SessionId, error: unknown) => void;
}

/** Calls `pause` for each session that works or may start to; a failure does not stop the rest. */
export async function pauseAll(
  { sessions, journal, onError }: PauseAllDeps,
  pause: (session: SessionId) => Promise<void>,
): Promise<PausedAll> {
  const failed: PausedAll["failed"] = [];
  const paused: SessionId[] = [];
  for (const { session, head } of await everySession(journal)) {
    try {
      if (isStill(await sessions.state(session), sessions.epoch)) continue;
      await pause(session);
      paused.push(session);
    } catch (error) {
      const known = error instanceof HostError && error.code !== "internal";
      if (!known) onError(session, error);
      const reason = known ? error.message : "Something went wrong.";
      failed.push({ session, tenant: head.tenant, reason });
    }
  }
  return { paused, failed };
}

/** True for a session that has no agent and gets none before a person asks for it. */
function isStill(state: SessionState, epoch: number): boolean {
  if (state.ended !== null || state.paused !== null) return true;
  const { lifecycle } = deriveStatus(state, { epoch });
  return lifecycle === "paused" && state.runtime.holderId === null && openRun(state) === null;
}

export function stillRunning(): HostError {
  return new HostError("unreachable", "The agent may still be running. Try again in a minute.");
}

const PAGE = 1000;

/** Reads the whole list before any session changes, because a change moves a session within it. */
async function everySession(journal: Journal): Promise<Standing[]> {
  const found: Standing[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await journal.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.sessions);
    cursor = page.cursor;
  }
  return found;
}
