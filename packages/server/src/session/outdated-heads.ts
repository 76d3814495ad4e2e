/** Completes heads of an older version while the host serves; until then they show no need. */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { Journal } from "../journal/journal.ts";
import { each } from "./recovery.ts";
import type { Sessions } from "./sessions.ts";

/** Few at once, because the host serves requests meanwhile. */
const AT_ONCE = 8;

export async function completeHeads(
  sessions: Sessions,
  journal: Journal,
  onError: (session: SessionId, error: unknown) => void,
  stop: AbortSignal,
): Promise<void> {
  const outdated = await journal.outdatedHeads();
  const sound = outdated.filter(({ damage }) => damage === undefined);
  await each(sound, AT_ONCE, async ({ session }) => {
    if (stop.aborted) return;
    try {
      await sessions.refreshHead(session);
    } catch (error) {
      const isExpected = error instanceof HostError && error.spec.ends !== undefined;
      if (!isExpected) onError(session, error);
    }
  });
}
