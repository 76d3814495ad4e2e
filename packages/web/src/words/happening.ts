/** What a session does now, in one line, from as much of it as the list knows. */

import type { InterruptReason, SessionView } from "@holdfast/protocol";
import { count } from "./measures.ts";
import { stateWord } from "./state.ts";
import { interruptions, lookUp } from "./story.ts";

type Known = Pick<
  SessionView,
  "status" | "lifecycle" | "runtime" | "damage" | "recovery" | "queued" | "agentName" | "workspace"
>;

export function happeningOf(session: Known): string {
  const { damage, recovery, queued } = session;
  if (damage !== null) return `can be read up to ${damage.readableTo ?? "nowhere"}`;
  const reason = recovery.interruption?.reason as InterruptReason | undefined;
  if (stateWord(session).word === "interrupted" && reason !== undefined) {
    return lookUp(interruptions, reason) ?? reason;
  }
  if (queued > 0) return `${count(queued, "message")} ${queued === 1 ? "waits" : "wait"}`;
  return placeOf(session);
}

/** Who works where. */
export function placeOf({ agentName, workspace }: Pick<Known, "agentName" | "workspace">): string {
  const folder = workspace.path?.split("/").findLast((name) => name !== "");
  const branch = workspace.branch === null ? "" : ` on ${workspace.branch}`;
  return folder === undefined ? agentName : `${agentName} in ${folder}${branch}`;
}
