/**
 * Writes the heads again that an older version wrote without today's columns. Runs beside serving: a
 * list puts such a session among those that need nobody until its journal was read.
 */

import { HostError, type SessionId } from "@holdfast/protocol";
import { each } from "./recovery.ts";
import type { Sessions } from "./sessions.ts";

/** Few: people are served meanwhile. */
const AT_ONCE = 8;

const passing = new Set(["fenced", "journal_closed", "session_not_found", "session_damaged"]);

export async function completeHeads(
  sessions: Sessions,
  onError: (session: SessionId, error: unknown) => void,
  stop: AbortSignal,
): Promise<void> {
  const outdated = await sessions.journal.outdatedHeads();
  const sound = outdated.filter(({ damage }) => damage === undefined);
  await each(sound, AT_ONCE, async ({ session }) => {
    if (stop.aborted) return;
    try {
      await sessions.refreshHead(session);
    } catch (error) {
      if (!(error instanceof HostError) || !passing.has(error.code)) onError(session, error);
    }
  });
}
