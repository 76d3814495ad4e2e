/**
 * SessionState: the bounded fold of a journal. It holds what decisions need (the latest run, waits,
 * queue, rules, heads) and never the conversation: that is the transcript, another fold.
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
import type { Happening } from "./happening.ts";
import type {
  ApprovalDecision,
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
  /** The last event folded in. */
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
  /** The hash of the agent definition it keeps; null where it has none. */
  readonly definition: string | null;
  readonly policy: Readonly<Record<string, Json>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastMessageAt: string | null;
  readonly ended: { readonly at: string; readonly reason: string } | null;
  readonly paused: { readonly at: string; readonly reason: PauseReason } | null;
  readonly runtime: RuntimeState;
  /** The latest run, open or not. */
  readonly run: RunState | null;
  /** Where the latest run ended, and when the latest that did not fail and that did: what is kept. */
  readonly ends: {
    readonly seq: number;
    readonly at: string | null;
    readonly failedAt: string | null;
  } | null;
  /** What the agent said since the latest run began that belongs to none, in characters. */
  readonly spoken: number;
  readonly queue: readonly QueuedMessage[];
  readonly rules: readonly StandingRule[];
  /** The most recent client message ids; older ones are once-only facts of the store. */
  readonly clients: readonly ClientMessage[];
  /** The latest tokens that open nothing any more, so that a late caller is told the true reason. */
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
  /** The life of the host that last had hold of it; older than the host's own means it is gone. */
  readonly epoch: number;
  /** Whether the session ever had a runtime: before that it is `creating`. */
  readonly seen: boolean;
  readonly agentSessionId: string | null;
  /** The agent's own id of its last message, as it told it; null where it tells none. */
  readonly lastMessageId: string | null;
  readonly holderId: string | null;
  /** The holder whose agent was ready: before that, what comes from it is no part of the session. */
  readonly readyHolderId: string | null;
  /** The first message, by its seq, that the agent does not know: the next prompt tells it. */
  readonly contextFrom: number | null;
  /** The run that was cut off and that the agent may not remember whole: the next prompt tells it. */
  readonly cutOffRun: string | null;
  /** The loss of the session's folder that the next prompt tells; absent or null where there is none. */
  readonly workspaceLost?: WorkspaceLoss | null;
  /** The folder as the agent left it when it last ended; absent or null where that is not known. */
  readonly workspaceLeft?: WorkspaceContents | null;
  /** The model of the message that its agent took last; absent or null where that named none. */
  readonly messageModel?: string | null;
  /** When its agent or holder was last seen going; null while it is up, or nobody saw it go. */
  readonly exitedAt: string | null;
  /** Why its agent is not launched yet: as many are live as may be. Null while nothing waits. */
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
  /** The last event of its own: unlike `lastEventAt` it does not move when a host adopts the run. */
  readonly activeAt: string;
  readonly outcome: Outcome | null;
  readonly interruption: InterruptReason | null;
  readonly error: EventError | null;
  readonly attempt: AttemptState;
  /** Launches that ended in a transient error; the budget is reset by progress. */
  readonly retries: number;
  readonly cancel: { readonly at: string; readonly by: string } | null;
  readonly paused: PauseReason | null;
  readonly unreachable: boolean;
  readonly waits: readonly WaitState[];
  readonly approvals: readonly ApprovalState[];
  readonly openTools: readonly OpenTool[];
  /** Results of ended waits that no agent has heard yet. */
  readonly results: readonly WaitResult[];
  readonly silentSince: string | null;
  readonly dismissed: boolean;
  /** What it said and what its tools gave back, in characters, with a little for each part. */
  readonly said: number;
  /** The kind of words that the next ones of the same kind would belong to. */
  readonly saying: "text" | "thinking" | null;
  /** The last that it did or said, for lists. */
  readonly happening: Happening | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface AttemptState {
  readonly n: number;
  readonly epoch: number;
  readonly way: Way;
  readonly startedAt: string;
  /** The holder (or the in-process agent) took the prompt: delivering it again would run it twice. */
  readonly accepted: boolean;
  /** The holder that took it; null when the agent ran inside the host. */
  readonly holderId: string | null;
  /** Anything at all came back. */
  readonly heard: boolean;
  /** A tool was started: a retry could do it twice. */
  readonly effects: boolean;
  readonly failed: EventError | null;
}

export interface WaitState {
  readonly id: string;
  readonly kind: WaitKind;
  readonly sinceSeq: number;
  /** The life that opened it: a deadline of an earlier life fires only after the grace time. */
  readonly epoch: number;
  readonly openedAt: string;
  readonly deadlineAt: string | null;
  /** How far wall time was ahead of steady time then; null where the journal does not say. */
  readonly clock: number | null;
  readonly approvalId: string | null;
  readonly token: TokenState | null;
}

export interface TokenState {
  readonly id: string;
  readonly hash: string;
  readonly expiresAt: string | null;
  /** The life that minted it, and how far wall time was ahead of steady time then. */
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
  /** The winner's idempotency key. */
  readonly key: string | null;
}

export interface ApprovalState {
  readonly id: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Json;
  /** Of an input too large for an event: all of it as canonical JSON, and its beginning. */
  readonly inputBlob?: BlobRef;
  readonly inputPreview?: string;
  readonly digest: string;
  readonly attempt: number;
  readonly askedBy: { readonly holderId: string; readonly n: number } | null;
  readonly options: readonly ApprovalOption[];
  /** The agent says what exactly would run: only then an answer is carried, and rules match. */
  readonly exact: boolean;
  /** What the workspace looked like at the question; null where nobody looked. */
  readonly workspace: WorkspaceMark | null;
  /**
   * The host marks the workspace at this question, so that without a mark its answer is not carried.
   * Absent in journals of earlier versions, and for an agent without a holder.
   */
  readonly needsMark?: true;
  /** Why an earlier answer was not used for it; null where there was none. */
  readonly askedAgain: AskedAgain | null;
  readonly decision: ApprovalDecision | null;
  readonly by: string | null;
  readonly reason: string | null;
  /** The agent's own option that was chosen. */
  readonly option?: string;
  /**
   * The answer is used up: the asking process has it, the same digest was asked again, or the launch
   * it was carried to is over.
   */
  readonly delivered: boolean;
  /** The later launch whose prompt carried the answer: only that one may still use it. */
  readonly carriedTo: number | null;
  readonly withdrawn: boolean;
}

export interface WaitResult {
  readonly waitId: string;
  /** The launch that waited for it. */
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

export interface ClientMessage {
  readonly clientId: string;
  readonly messageId: string;
  readonly seq: number;
}

export interface RecoveryState {
  readonly lastBootSeen: string | null;
  readonly interruption: {
    readonly runId: string;
    readonly reason: InterruptReason;
    readonly at: string;
  } | null;
  /** The last `status.derived`, so that recovery says it once per change. */
  readonly derived: Status | null;
  readonly rung: Rung | null;
  readonly receipts: number;
  /** Why the latest start failed; `at` is absent in bases of earlier versions. */
  readonly reviveError: (EventError & { readonly at?: string }) | null;
}

/**
 * Bounds of the state: what does not fit is refused by a rule, never silently dropped. With the byte
 * limits of the host's policy a state is at most 6 MB of JSON; a usual one is a few KB.
 */
export const stateLimits = {
  clients: 64,
  rules: 200,
  approvals: 32,
  /** Questions that are over but still known, for those who answer late. */
  approvalsOver: 16,
  waits: 64,
  /** Results that no agent has heard yet. */
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

/** What words between turns count for. */
export function spokenLength({ text = "", part }: Omit<EventOf<"agent.spoke">, "kind">): number {
  return text.length + (part === undefined ? 0 : JSON.stringify(part).length);
}

export function openRun(state: SessionState): RunState | null {
  return state.run !== null && state.run.outcome === null ? state.run : null;
}

/** Decided, but the launch that asked is over and nobody heard: the next prompt carries the answer. */
export function isCarried(asked: ApprovalState, run: RunState): boolean {
  return (
    asked.decision !== null &&
    !asked.delivered &&
    asked.carriedTo === null &&
    asked.attempt < run.attempt.n
  );
}

/** Earlier versions journalled `{title}` or `{}` for a call whose input the agent did not send. */
export function tellsInput(input: Json): boolean {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return true;
  return Object.keys(input).some((name) => name !== "title");
}
