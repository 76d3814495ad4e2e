/** Words for the events of a session, the same on every screen. */

import type { AgentEnd, InterruptReason, LaunchScope, WorkspaceLoss } from "../vocabulary.ts";

const interruptions: Readonly<Record<InterruptReason, string>> = {
  process_restart: "the host was restarted",
  process_exit: "the agent's process stopped",
  wait_timeout: "nobody answered in time",
  sandbox_lost: "its sandbox was lost",
};

const ends: Readonly<Record<AgentEnd, string>> = {
  agent_stopped: interruptions.process_exit,
  agent_killed: "the agent's process was killed",
  holder_gone: "the process that keeps the agent running ended, and the agent with it",
};

/** Words for an interruption. Only the end of a process is told by `agentEnd`. */
export function interruptionWords(reason: string, agentEnd?: AgentEnd | null): string {
  if (reason === "process_exit" && agentEnd != null) return ends[agentEnd];
  return Object.hasOwn(interruptions, reason) ? interruptions[reason as InterruptReason] : reason;
}

/** Words for the loss of a session's folder, in receipts and in the history. */
export const workspaceLossWords: Readonly<Record<WorkspaceLoss, string>> = {
  gone: "the folder it worked in was gone, with all that was in it",
  emptied: "the folder it worked in was empty, and it had held files before",
};

/** Words for the reason why an agent is not started yet. */
export function launchQueuedWords({ scope, live, limit }: Queued): string {
  const whose = scope === "tenant" ? "of your" : "of the host's";
  return `Waiting for a free place: ${live} ${whose} ${limit} agents are live`;
}

interface Queued {
  readonly scope: LaunchScope;
  readonly live: number;
  readonly limit: number;
}
