/** The words that events use. Plain lists, so that a page can use them without the schemas. */

export const waitKinds = ["human", "tool_result", "external"] as const;
export const decisions = ["allow", "allow_always", "deny"] as const;
/** Reasons why an earlier answer was not used for a repeated question. */
export const askedAgainReasons = [
  "input_changed",
  /** The agent does not tell exactly what would run, so the inputs cannot be compared. */
  "input_unknown",
  "files_changed",
  "files_unknown",
] as const;
/** Knowledge about an allowed call of an earlier launch; without a reported end it is "perhaps". */
export const earlierRuns = ["yes", "perhaps"] as const;
export const interruptReasons = [
  "process_restart",
  "process_exit",
  "wait_timeout",
  "sandbox_lost",
] as const;
/** Ends of an agent: by itself, by a signal from outside, or with the holder that owned it. */
export const agentEnds = ["agent_stopped", "agent_killed", "holder_gone"] as const;
export const ways = ["prompt", "rewind", "fork", "continue"] as const;
/** The owner of the limit of live agents that a launch waits for. */
export const launchScopes = ["tenant", "host"] as const;
export const workspaceContents = ["files", "empty"] as const;
/** Losses of a session's folder: it is missing, or empty although the agent left files. */
export const workspaceLosses = ["gone", "emptied"] as const;

export const pauseReasons = ["idle", "explicit", "abandoned", "waiting", "restart"] as const;
/** Values of policy `onOpen`: what opening a session does with its agent. */
export const onOpenWords = ["read", "needed", "revive"] as const;
export const rungs = ["live", "adopted", "native", "restored", "injected", "fresh"] as const;
export const grades = ["verified", "partial", "ahead", "unverified", "injected"] as const;
export const statuses = [
  "interrupted_startup",
  "interrupted_waiting",
  "waiting",
  "running",
  "idle",
] as const;
/** Reasons why a session needs a person, in the order of a list: a question first. */
export const needKinds = ["waiting", "interrupted", "failed"] as const;
/** A session in one word, as lists show it. */
export const sessionWords = [
  "waiting",
  "interrupted",
  "failed",
  "working",
  "paused",
  "unreachable",
  "new",
  "done",
  "cancelled",
  "dismissed",
  "ended",
  "damaged",
] as const;

export type WaitKind = (typeof waitKinds)[number];
export type ApprovalDecision = (typeof decisions)[number];
export type InterruptReason = (typeof interruptReasons)[number];
export type AgentEnd = (typeof agentEnds)[number];
export type Way = (typeof ways)[number];
export type LaunchScope = (typeof launchScopes)[number];
export type WorkspaceContents = (typeof workspaceContents)[number];
export type WorkspaceLoss = (typeof workspaceLosses)[number];
export type PauseReason = (typeof pauseReasons)[number];
export type OnOpen = (typeof onOpenWords)[number];
export type Status = (typeof statuses)[number];
export type NeedKind = (typeof needKinds)[number];
export type SessionWord = (typeof sessionWords)[number];
export type Rung = (typeof rungs)[number];
export type Grade = (typeof grades)[number];
export type Outcome = "completed" | "failed" | "cancelled" | "interrupted";

const outcomes: Readonly<Record<string, Outcome>> = {
  "run.completed": "completed",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
  "run.interrupted": "interrupted",
};

export function outcomeOf(kind: string): Outcome | undefined {
  return Object.hasOwn(outcomes, kind) ? outcomes[kind] : undefined;
}

/** The reason in the answer that a stop gives to an open question; a person did not give it. */
export const STOP_REASON = "the run was cancelled";

/** The kinds of the latest happening of a session, which lists show in one line. */
export const happenings = ["does", "asks", "said", "failed"] as const;

export const HAPPENING = 120;

export interface Happening {
  readonly kind: (typeof happenings)[number];
  readonly text: string;
}

export const scopes = ["read", "write", "admin"] as const;
export type Scope = (typeof scopes)[number];
