/** The words for what happens to a session, the same on every screen. */

import type { Grade, InterruptReason, LaunchScope, Rung, WorkspaceLoss } from "./vocabulary.ts";

export const interruptions: Readonly<Record<InterruptReason, string>> = {
  process_restart: "the host was restarted",
  process_exit: "the agent's process stopped",
  wait_timeout: "nobody answered in time",
  sandbox_lost: "its sandbox was lost",
};

/** Said before a session is ended. */
export const endingWords =
  "It cannot be started again. You can read it until the host deletes it, after 30 days unless set otherwise. Files stay where they are.";

/** Why an answer was interrupted, from its message's `errorMessage`: `Interrupted: process_exit`. */
export function interruptionWords(errorMessage: string): string {
  const code = errorMessage.replace("Interrupted: ", "");
  return Object.hasOwn(interruptions, code) ? interruptions[code as InterruptReason] : code;
}

/** How much of its memory an agent came back with, behind the rung. */
const grades: Readonly<Record<Grade, string>> = {
  verified: ", its memory checked",
  partial: ", part of its memory lost and told again",
  ahead: ", knowing more than was heard of it",
  unverified: ", its memory not checked",
  injected: "",
};

const rungs: Readonly<Record<Rung, string>> = {
  live: "it was up",
  adopted: "adopted",
  native: "resumed by the agent itself",
  restored: "restored from a checkpoint",
  injected: "a new agent session that was told the history",
  fresh: "started fresh, without its history",
};

/** How an agent was brought up, where that is known, and with how much of its memory. */
export function rungWords(rung: Rung | null, grade: Grade | null): string {
  return `${rung === null ? "recovered" : rungs[rung]}${grade === null ? "" : grades[grade]}`;
}

/** The loss of a session's folder, as its receipt and its history say it. */
export const workspaceLossWords: Readonly<Record<WorkspaceLoss, string>> = {
  gone: "the folder it worked in was gone, with all that was in it",
  emptied: "the folder it worked in was empty, and it had left files there",
};

/** Why an agent is not started yet. */
export function launchQueuedWords({ scope, live, limit }: Queued): string {
  const whose = scope === "tenant" ? "of your" : "of the host's";
  return `Waiting for a free place: ${live} ${whose} ${limit} agents are live`;
}

interface Queued {
  readonly scope: LaunchScope;
  readonly live: number;
  readonly limit: number;
}
