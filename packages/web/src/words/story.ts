/** Words for the events of a session that only the page uses. */

import {
  type ApprovalDecision,
  callEndWords,
  callStatus,
  decisionWords,
  interruptedButLive,
  type Rung,
  type TonedWord,
  type ToolPart,
} from "@holdfast/protocol";

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The result of a tool call; a successful call has no word. */
export const toolMarks: Readonly<Record<ToolPart["status"], TonedWord>> = {
  running: { word: "running", tone: "alive" },
  completed: { word: "", tone: "quiet" },
  failed: { word: callEndWords.failed, tone: "lost" },
  // A denied call is not a failure.
  denied: { word: sentence(callEndWords.denied), tone: "quiet" },
  cancelled: { word: callEndWords.cancelled, tone: "quiet" },
  unknown: { word: callEndWords.unknown, tone: "needs" },
  not_started: { word: callEndWords.not_started, tone: "quiet" },
};

export function toolMark(tool: Pick<ToolPart, "status" | "approval">): TonedWord {
  const isAsking = tool.status === "running" && tool.approval?.decision === null;
  return isAsking ? { word: "asks you", tone: "needs" } : toolMarks[callStatus(tool)];
}

/** The effect of a resume, by the rung it would use. */
export const nextRungs: Readonly<Record<Rung, string>> = {
  live: `${sentence(interruptedButLive)}.`,
  adopted: "The agent is still running; the host reconnects to it.",
  native:
    "When you resume, the agent will restart from its own saved session. It may repeat steps.",
  restored: "When you resume, the agent will be restored from the last checkpoint.",
  injected:
    "When you resume, the agent will restart, and Holdfast will tell it the conversation. It may repeat steps.",
  fresh: "When you resume, the agent will start fresh, without the conversation.",
};

export const decided: Readonly<Record<ApprovalDecision, TonedWord>> = {
  allow: { word: sentence(decisionWords.allow), tone: "alive" },
  allow_always: { word: sentence(decisionWords.allow_always), tone: "alive" },
  deny: { word: sentence(decisionWords.deny), tone: "strong" },
};

export const answers: Readonly<Record<ApprovalDecision, string>> = {
  allow: "Allow once",
  allow_always: "Always, this session",
  deny: "Deny",
};

export function lookUp<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
