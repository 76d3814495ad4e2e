/**
 * SessionState: the bounded fold of a journal. It holds the data that decisions need (the latest
 * run, waits, queue, rules) and not the conversation, which is in the transcript, another fold.
 */

import type {
  ApprovalOption,
  AskedAgain,
  BlobRef,
  EventError,
  EventOf,
  Json,
  WorkspaceMark,
} from "./events.ts";
import type {
  AgentEnd,
  ApprovalDecision,
  Happening,
  InterruptReason,
  LaunchScope,
  Outcome,
  PauseReason,
  Rung,
  Status,
  WaitKind,
  Way,
  WorkspaceContents,
  WorkspaceLoss,
} from "./vocabulary.ts";

export interface SessionState {
  readonly seq: number;
  readonly id: string;
  readonly tenant: string;
  readonly title: string;
  readonly agentName: string;
  readonly model: string | null;
  readonly workspace: {
    readonly kind: string;
    readonly path: string | null;
    readonly branch: string | null;
  };
  readonly isolation: string;
  /** The hash of the agent definition that the session is pinned to; null without a definition. */
  readonly definition: string | null;
  readonly policy: Readonly<Record<string, Json>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastMessageAt: string | null;
  readonly ended: { readonly at: string; readonly reason: string } | null;
  readonly paused: { readonly at: string; readonly reason: PauseReason } | null;
  readonly runtime: RuntimeState;
  readonly run: RunState | null;
  /** For retention: seq of the latest outcome, end times of the latest good and failed run. */
  readonly ends: {
    readonly seq: number;
    readonly at: string | null;
    readonly failedAt: string | null;
  } | null;
  /** Characters of output since the latest run began that belong to no run. */
  readonly spoken: number;
  /** When the agent last spoke between runs; absent when it never did, or before this was recorded. */
  readonly spokenAt?: string;
  readonly queue: readonly QueuedMessage[];
  readonly rules: readonly StandingRule[];
  /** The most recent client message ids; the store keeps older ones as once-only facts. */
  readonly clients: readonly ClientMessage[];
  /** The latest spent tokens, so that a late caller gets the exact reason. */
  readonly spentTokens: readonly SpentToken[];
  readonly checkpoint: {
    readonly id: string;
    readonly atSeq: number;
    readonly consistent: boolean;
  } | null;
  readonly rewoundTo: number | null;
  readonly forkedFrom: { readonly sessionId: string; readonly seq: number } | null;
  readonly trimmedTo: number;
  readonly recovery: RecoveryState;
}

export interface RuntimeState {
  readonly state: "none" | "starting" | "live" | "frozen" | "unreachable";
  /** Epoch of the boot that last owned the runtime; a lower one than the host's: it is gone. */
  readonly epoch: number;
  /** True once the session had a runtime; before that it is `creating`. */
  readonly seen: boolean;
  readonly agentSessionId: string | null;
  readonly lastMessageId: string | null;
  readonly holderId: string | null;
  /** The holder whose agent is ready; its frames before that are not part of the session. */
  readonly readyHolderId: string | null;
  /** The seq of the first message that the agent does not know; the next prompt tells it. */
  readonly contextFrom: number | null;
  /** A cut-off run that the agent may not remember completely; the next prompt repeats its end. */
  readonly cutOffRun: string | null;
  /** A loss of the folder that the next prompt tells; absent or null without a loss. */
  readonly workspaceLost?: WorkspaceLoss | null;
  /** The folder's contents at the agent's latest exit; absent or null when unknown. */
  readonly workspaceLeft?: WorkspaceContents | null;
  /** The model named by the message that the agent took last; absent or null when it named none. */
  readonly messageModel?: string | null;
  /** When the host last saw the agent or holder exit; null while it is up, or unseen. */
  readonly exitedAt: string | null;
  /** The end of the latest agent; null while it is up, absent when its start is not known. */
  readonly agentEnd?: AgentEnd | null;
  /** The seq of the latest `agent.ready`; absent before the first, and in states of fold 12. */
  readonly readySeq?: number;
  /** The limit of live agents that the launch waits for; null when no launch waits. */
  readonly waiting: {
    readonly since: string;
    readonly scope: LaunchScope;
    readonly live: number;
    readonly limit: number;
  } | null;
  readonly sandbox: {
    readonly id: string;
    readonly provider: string;
    readonly state: "ready" | "frozen" | "unreachable" | "gone";
  } | null;
}

export interface RunState {
  readonly id: string;
  readonly messageId: string;
  readonly continues: string | null;
  readonly from: "start" | "error" | null;
  readonly model: string | null;
  readonly epoch: number;
  readonly bootId: string;
  readonly startedAt: string;
  readonly startedSeq: number;
  readonly endedAt: string | null;
  readonly lastEventAt: string;
  /** Time of the run's last event of its own; unlike `lastEventAt` it ignores adoptions. */
  readonly activeAt: string;
  readonly outcome: Outcome | null;
  readonly interruption: InterruptReason | null;
  readonly agentEnd?: AgentEnd;
  readonly error: EventError | null;
  readonly attempt: AttemptState;
  /** Retries after transient errors; progress resets the count. */
  readonly retries: number;
  readonly cancel: { readonly at: string; readonly by: string } | null;
  readonly paused: PauseReason | null;
  readonly unreachable: boolean;
  readonly waits: readonly WaitState[];
  readonly approvals: readonly ApprovalState[];
  readonly openTools: readonly OpenTool[];
  readonly results: readonly WaitResult[];
  readonly silentSince: string | null;
  readonly dismissed: boolean;
  /** Characters of output and tool results, with a fixed amount for each part. */
  readonly said: number;
  /** The kind of the current text part, which further text of the same kind extends. */
  readonly saying: "text" | "thinking" | null;
  /** `notRun` replaces the text of a call that was denied or not started. */
  readonly happening: (Happening & { readonly notRun?: string }) | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface AttemptState {
  readonly n: number;
  readonly epoch: number;
  readonly way: Way;
  readonly startedAt: string;
  /** The prompt was taken; delivering it again would run it twice. */
  readonly accepted: boolean;
  /** The holder that took the prompt; null for an agent inside the host process. */
  readonly holderId: string | null;
  /** True once the attempt produced any output. */
  readonly heard: boolean;
  /** True once a tool started, because a retry could repeat its effects. */
  readonly effects: boolean;
  readonly failed: EventError | null;
}

export interface WaitState {
  readonly id: string;
  readonly kind: WaitKind;
  readonly sinceSeq: number;
  /** The boot that opened the wait; a deadline of an earlier boot waits for the grace time. */
  readonly epoch: number;
  readonly openedAt: string;
  readonly deadlineAt: string | null;
  /** Wall time minus steady time when the wait opened, in ms; null in older journals. */
  readonly clock: number | null;
  readonly approvalId: string | null;
  readonly token: TokenState | null;
}

export interface TokenState {
  readonly id: string;
  readonly hash: string;
  readonly expiresAt: string | null;
  /** The boot that minted the token, and wall time minus steady time then. */
  readonly epoch: number | null;
  readonly clock: number | null;
  readonly status: "active" | SpentToken["status"];
}

export interface SpentToken {
  readonly id: string;
  readonly runId: string;
  readonly waitId: string;
  readonly waitKind: WaitKind;
  readonly hash: string;
  readonly status: "consumed" | "revoked" | "expired";
  /** The idempotency key of the caller who consumed the token. */
  readonly key: string | null;
}

export interface ApprovalState {
  readonly id: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Json;
  /** For an input too large for an event: a blob of its canonical JSON, and the beginning. */
  readonly inputBlob?: BlobRef;
  readonly inputPreview?: string;
  readonly digest: string;
  readonly attempt: number;
  readonly askedBy: { readonly holderId: string; readonly n: number } | null;
  readonly options: readonly ApprovalOption[];
  /** True when the agent tells exactly what would run: answers are carried, and rules match. */
  readonly exact: boolean;
  readonly workspace: WorkspaceMark | null;
  /**
   * True when the host marks the workspace at this question, so that an answer without a mark is
   * not carried. Absent in journals of earlier versions, and for an agent without a holder.
   */
  readonly needsMark?: true;
  /** The reason why an earlier answer was not used; null without an earlier answer. */
  readonly askedAgain: AskedAgain | null;
  readonly decision: ApprovalDecision | null;
  readonly by: string | null;
  readonly reason: string | null;
  readonly option?: string;
  /** True when the answer is used up: received, asked again, or its launch is over. */
  readonly delivered: boolean;
  /** Set when the allowed call has ended: it ran, or may have run. */
  readonly ran?: AskedAgain["ran"];
  /** The later attempt whose prompt carried the answer; only that attempt may use it. */
  readonly carriedTo: number | null;
  readonly withdrawn: boolean;
}

export interface WaitResult {
  readonly waitId: string;
  readonly attempt: number;
  readonly result: Json;
}

export interface OpenTool {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly gated: boolean;
}

export interface QueuedMessage {
  readonly id: string;
  readonly content: string;
  readonly blob: BlobRef | null;
  readonly clientId: string | null;
  readonly model: string | null;
  readonly urgent: boolean;
  readonly queuedAt: string;
}

export interface StandingRule {
  readonly id: string;
  readonly toolName: string;
  readonly pattern: string;
  readonly scope: "session" | "run";
  readonly runId: string | null;
}

interface ClientMessage {
  readonly clientId: string;
  readonly messageId: string;
  readonly seq: number;
}

interface RecoveryState {
  readonly lastBootSeen: string | null;
  readonly interruption: {
    readonly runId: string;
    readonly reason: InterruptReason;
    readonly agentEnd?: AgentEnd;
    readonly at: string;
  } | null;
  /** The last `status.derived`, so that each change is recorded once. */
  readonly derived: Status | null;
  readonly rung: Rung | null;
  readonly receipts: number;
  /** The error of the latest start; `at` is absent in bases of earlier versions. */
  readonly reviveError: (EventError & { readonly at?: string }) | null;
}

/**
 * Limits of the state. A rule refuses input beyond the limits of rules, approvals, waits, results
 * and open tools; of clients, spent tokens and closed questions only the latest are kept. With the
 * byte limits of the host's policy a state is at most 6 MB of JSON; usually it is a few KB.
 */
export const stateLimits = {
  clients: 64,
  rules: 200,
  approvals: 32,
  /** Closed questions that are kept for late answers. */
  approvalsOver: 16,
  waits: 64,
  results: 64,
  spentTokens: 32,
  openTools: 512,
} as const;

export const emptyState: SessionState = {
  seq: 0,
  id: "",
  tenant: "",
  title: "",
  agentName: "",
  model: null,
  workspace: { kind: "empty", path: null, branch: null },
  isolation: "none",
  definition: null,
  policy: {},
  createdAt: "",
  updatedAt: "",
  lastMessageAt: null,
  ended: null,
  paused: null,
  runtime: {
    state: "none",
    epoch: 0,
    seen: false,
    agentSessionId: null,
    lastMessageId: null,
    holderId: null,
    readyHolderId: null,
    contextFrom: null,
    cutOffRun: null,
    waiting: null,
    exitedAt: null,
    sandbox: null,
  },
  run: null,
  ends: null,
  spoken: 0,
  queue: [],
  rules: [],
  clients: [],
  spentTokens: [],
  checkpoint: null,
  rewoundTo: null,
  forkedFrom: null,
  trimmedTo: 0,
  recovery: {
    lastBootSeen: null,
    interruption: null,
    derived: null,
    rung: null,
    receipts: 0,
    reviveError: null,
  },
};

/** Characters that output between turns counts for. */
export function spokenLength({ text = "", part }: Omit<EventOf<"agent.spoke">, "kind">): number {
  return text.length + (part === undefined ? 0 : JSON.stringify(part).length);
}

export function openRun(state: SessionState): RunState | null {
  return state.run !== null && state.run.outcome === null ? state.run : null;
}

/** True for an answer that the asking launch ended before receiving: the next prompt carries it. */
export function isCarried(asked: ApprovalState, run: RunState): boolean {
  return (
    asked.decision !== null &&
    !asked.delivered &&
    asked.carriedTo === null &&
    asked.attempt < run.attempt.n
  );
}

/** False for `{title}` and `{}`, which earlier versions journalled for an unknown input. */
export function tellsInput(input: Json): boolean {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return true;
  return Object.keys(input).some((name) => name !== "title");
}
