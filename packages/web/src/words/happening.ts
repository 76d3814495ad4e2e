/** The last activity of a session in one line, from the fields that the list has. */

import {
  happeningWords,
  interruptionWords,
  neverSentWords,
  queuedWords,
  type SessionView,
} from "@holdfast/protocol";
import { within } from "./tool.ts";

type Known = Pick<
  SessionView,
  ("status" | "word" | "damage" | "recovery" | "queued") | ("happening" | "agentName" | "workspace")
>;

export function happeningOf(session: Known): string {
  const { damage, recovery, queued, status } = session;
  if (damage !== null) {
    return damage.readableTo === null
      ? "not readable"
      : `readable up to event ${damage.readableTo}`;
  }
  const { interruption } = recovery;
  if (session.word === "interrupted" && interruption !== null) {
    return interruptionWords(interruption.reason, interruption.agentEnd);
  }
  if (queued > 0 && session.word === "ended") return neverSentWords(queued);
  if (queued > 0 && status === "idle") {
    return queuedWords(queued);
  }
  return lastWords(session) ?? placeOf(session);
}

function lastWords({ happening, workspace, word }: Known): string | null {
  if (happening === null) return null;
  const text = within(happening.text, workspace.path);
  return happeningWords({ ...happening, text }, word);
}

export function placeOf({ agentName, workspace }: Pick<Known, "agentName" | "workspace">): string {
  const folder = workspace.path?.split("/").findLast((name) => name !== "");
  const branch = workspace.branch === null ? "" : ` on ${workspace.branch}`;
  return folder === undefined ? agentName : `${agentName} in ${folder}${branch}`;
}
