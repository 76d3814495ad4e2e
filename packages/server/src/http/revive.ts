/** A revive goes on by itself, whether or not the request that asked for it is still there. */

import type { SessionId } from "@holdfast/protocol";
import type { ReviveMode, Reviving } from "../session/runtimes.ts";
import type { HandlerDeps } from "./deps.ts";
import { isUnexpected } from "./problems.ts";

/** Resolves as soon as it has durably begun, or there was nothing to begin. */
export async function beginRevive(
  { runtimes }: HandlerDeps,
  session: SessionId,
  mode: ReviveMode,
): Promise<Pick<Reviving, "done">> {
  const { started, done } = runtimes.revive(session, mode);
  // Its failure is heard by whoever waits for it, or by `unattended`.
  done.catch(() => undefined);
  await started;
  return { done };
}

/** Nobody waits for it: that it failed is in the journal, and what is no answer goes to the log. */
export function unattended(
  { onError }: HandlerDeps,
  session: SessionId,
  { done }: Pick<Reviving, "done">,
): void {
  done.catch((error: unknown) => {
    if (isUnexpected(error)) onError(session, error);
  });
}
