/** Words for the events of a session, the same on every screen. */

import type { AskedAgain } from "../events.ts";
import type { ToolPart } from "../transcript/parts.ts";
import type {
  AgentEnd,
  ApprovalDecision,
  InterruptReason,
  LaunchScope,
  PauseReason,
  WorkspaceLoss,
} from "../vocabulary.ts";

const interruptions: Readonly<Record<InterruptReason, string>> = {
  process_restart: "the agent stopped while the host was down",
  process_exit: "the agent's process stopped",
  wait_timeout: "no one answered in time",
  sandbox_lost: "the agent's processes were lost",
};

const ends: Readonly<Record<AgentEnd, string>> = {
  agent_stopped: interruptions.process_exit,
  agent_killed: "the agent's process was killed",
  holder_gone: "the agent's parent process stopped, and the agent with it",
};

/** Words for an interruption. Only the end of a process is told by `agentEnd`. */
export function interruptionWords(reason: string, agentEnd?: AgentEnd | null): string {
  if (reason === "process_exit" && agentEnd != null) return ends[agentEnd];
  return Object.hasOwn(interruptions, reason) ? interruptions[reason as InterruptReason] : reason;
}

export const pauseWords: Readonly<Record<PauseReason, string>> = {
  idle: "idle for a while",
  explicit: "paused by a person",
  abandoned: "no one was watching for a while",
  waiting: "resumes when you answer",
  restart: "the host was restarted",
};

export const decisionWords: Readonly<Record<ApprovalDecision, string>> = {
  allow: "allowed once",
  allow_always: "always allowed",
  deny: "denied",
};

/** The end of a tool call; a running or successful call needs no word. */
export const callEndWords = {
  failed: "failed",
  denied: "denied",
  cancelled: "cancelled",
  unknown: "may or may not have run",
  not_started: "not started",
} as const satisfies Partial<Record<ToolPart["status"], string>>;

/** Words for the reason why a person is asked in spite of an earlier answer. */
export function askedAgainWords({
  reason,
  decision,
  ran,
}: Pick<AskedAgain, "reason" | "decision" | "ran">): string {
  if (ran !== undefined) return ranBefore[ran];
  const answered = decision === undefined ? "answered" : decision === "deny" ? "denied" : "allowed";
  return askedAgain[reason](answered);
}

const ranBefore: Readonly<Record<NonNullable<AskedAgain["ran"]>, string>> = {
  yes: "You allowed exactly this before, and it ran. Allowing it runs it again.",
  perhaps: "You allowed exactly this before, and it may have run. Allowing it may run it again.",
};

const askedAgain: Readonly<Record<AskedAgain["reason"], (answered: string) => string>> = {
  input_changed: (answered) => `This differs from the request that you ${answered} before.`,
  input_unknown: (answered) =>
    `You ${answered} a similar request before. The agent does not say exactly what it would run.`,
  files_changed: (answered) => `You ${answered} this before, but files have changed since:`,
  files_unknown: (answered) =>
    `You ${answered} this before. Holdfast could not check whether files have changed since.`,
};

/** Interrupted work beside an agent that runs. */
export const interruptedButLive = "the agent is running; its interrupted work waits for you";

/** Words for the loss of a session's folder, in receipts and in the history. */
export const workspaceLossWords: Readonly<Record<WorkspaceLoss, string>> = {
  gone: "the agent's folder was gone, with everything in it",
  emptied: "the agent's folder was empty, although it had contained files",
};

/** Words for the reason why an agent is not started yet. */
export function launchQueuedWords({ scope, live, limit }: Queued): string {
  const whose = scope === "tenant" ? "you may run" : "the host may run";
  return `Waiting for another agent to stop: ${live} of the ${limit} agents that ${whose} are running`;
}

interface Queued {
  readonly scope: LaunchScope;
  readonly live: number;
  readonly limit: number;
}
