/** Starts revives that continue after their request has ended. */

import type { SessionId } from "@holdfast/protocol";
import type { ReviveMode } from "../../runtime/holder-launch.ts";
import type { Reviving } from "../../runtime/runtimes.ts";
import type { HandlerDeps } from "../request/deps.ts";
import { isUnexpected } from "../request/problems.ts";

/** Resolves as soon as the revive has durably begun, or when the session is already running. */
export async function beginRevive(
  { host: { runtimes } }: HandlerDeps,
  session: SessionId,
  mode: ReviveMode,
): Promise<Pick<Reviving, "done">> {
  const { started, done } = runtimes.revive(session, mode);
  // Prevents an unhandled rejection; the caller or `unattended` handles the failure.
  done.catch(() => undefined);
  await started;
  return { done };
}

/** A revive without a waiting caller: its failure is journalled, other errors are logged. */
export function unattended(
  { onError }: HandlerDeps,
  session: SessionId,
  { done }: Pick<Reviving, "done">,
): void {
  done.catch((error: unknown) => {
    if (isUnexpected(error)) onError(session, error);
  });
}
