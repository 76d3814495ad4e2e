/**
 * Views of a session for clients: pure functions from the state, and the transcript where needed,
 * to the shapes of the API. Every status word on the wire is derived here or in `status.ts`;
 * handlers only pass it on.
 */

import { seedWords } from "./seed-words.ts";
import {
  type ApprovalState,
  emptyState,
  openRun,
  type QueuedMessage,
  type RunState,
  type SessionState,
} from "./session.ts";
import {
  type Derived,
  deriveStatus,
  type Moment,
  needOf,
  type RunStatus,
  wordOf,
} from "./status.ts";
import type { RunRecord } from "./transcript/run-records.ts";
import type { MessageView } from "./transcript/shapes.ts";
import { answerId, type Message, type Transcript } from "./transcript/transcript.ts";
import type { Happening, OnOpen, Outcome, Rung } from "./vocabulary.ts";
import type {
  ApprovalView,
  QueuedView,
  ResumeReason,
  RuntimeView,
  RunView,
  SessionView,
  StatusView,
} from "./wire/shapes.ts";
import { askHappening, happening } from "./words/happening.ts";
import { launchQueuedWords } from "./words/story.ts";

/** The context of a view: the host's boot, and damage that the store reports. */
export interface Looking extends Moment {
  readonly damage?: SessionView["damage"];
}

export function sessionView(state: SessionState, { epoch, damage = null }: Looking): SessionView {
  const derived = deriveStatus(state, { epoch });
  return {
    id: state.id,
    title: state.title,
    agentName: state.agentName,
    model: state.model,
    sandboxId: state.runtime.sandbox?.id ?? null,
    lifecycle: derived.lifecycle,
    status: derived.status,
    word: damage === null ? wordOf(state, { epoch }) : "damaged",
    need: needOf(state),
    currentRunId: state.run?.id ?? null,
    runtime: runtimeView(state, derived),
    workspace: state.workspace,
    isolation: state.isolation,
    policy: state.policy,
    lastSeq: state.seq,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    lastActiveAt: lastActiveAt(state),
    lastMessageAt: state.lastMessageAt,
    queued: state.queue.length,
    happening: happeningOf(state, derived),
    recovery: state.recovery,
    damage,
    ...(state.ended?.reason === "deleted" ? { deleted: true } : {}),
  };
}

/** The view of a session whose journal cannot be folded, from the columns stored beside it. */
export function damagedView(
  known: Pick<SessionView, "id" | "title" | "agentName" | "lastSeq" | "createdAt" | "updatedAt">,
  damage: NonNullable<SessionView["damage"]>,
): SessionView {
  const { lastSeq: seq, ...columns } = known;
  const view = sessionView({ ...emptyState, ...columns, seq }, { epoch: 0, damage });
  return { ...view, lifecycle: "paused", lastActiveAt: known.updatedAt };
}

/** The fields that a row of a live list shows, sent whenever the session changes. */
export function listedView(view: SessionView) {
  const { title, lifecycle, status, word, need, runtime, queued, happening, recovery } = view;
  const { updatedAt, lastActiveAt, lastSeq } = view;
  return {
    title,
    lifecycle,
    status,
    word,
    need,
    runtime,
    queued,
    happening,
    recovery,
    updatedAt,
    lastActiveAt,
    lastSeq,
    ...(view.deleted === true ? { deleted: true as const } : {}),
  };
}

export type ListedView = Readonly<ReturnType<typeof listedView>>;

function runtimeView(state: SessionState, derived: Derived): RuntimeView {
  const { agentSessionId, lastMessageId, holderId, sandbox, waiting } = state.runtime;
  const { path, branch } = state.workspace;
  return {
    state: derived.runtime,
    agentSessionId,
    lastMessageId,
    sandbox,
    holder: holderId === null ? null : { id: holderId, attempt: openRun(state)?.attempt.n ?? null },
    ...(waiting === null || derived.runtime !== "starting" ? {} : { waiting }),
    worktree: path === null ? null : { id: null, path, branch, head: null },
  };
}

/** The last activity or failed start; unlike `updatedAt` it ignores a host's own events. */
export function lastActiveAt({ createdAt, run, recovery, ...state }: SessionState): string {
  const { lastMessageAt, spokenAt = "" } = state;
  const times = [
    lastMessageAt ?? "",
    run?.activeAt ?? "",
    spokenAt,
    recovery.reviveError?.at ?? "",
  ];
  // ISO times in UTC sort as text.
  return times.reduce((a, b) => (a > b ? a : b), createdAt);
}

/** The latest happening; a waiting launch, an open question or an error comes first. */
function happeningOf(
  { run, recovery, runtime: { waiting } }: SessionState,
  { runtime }: Derived,
): Happening | null {
  if (waiting !== null && runtime === "starting") {
    return happening("does", launchQueuedWords(waiting));
  }
  const { reviveError } = recovery;
  if (run === null) return reviveError === null ? null : happening("failed", reviveError.message);
  const asked = openQuestion(run);
  if (asked !== null) return askHappening(callName(run, asked), asked);
  if (run.error !== null) return happening("failed", run.error.message);
  if (run.happening === null) return null;
  const { kind, text, notRun } = run.happening;
  return { kind, text: notRun ?? text };
}

export type RunSummary = Omit<RunView, "contentParts" | "followers">;

/** The latest run from the state alone, for callers that do not need its output. */
export function latestRun(state: SessionState, moment: Moment): RunSummary | null {
  const { run } = state;
  return run === null ? null : summary(state, recordOf(run), run.said > 0, moment);
}

/** The latest run just after its start: it has no output yet, so the transcript is not needed. */
export function startedRun(
  state: SessionState,
  { epoch, followers }: Moment & { readonly followers: number },
): RunView | null {
  const run = latestRun(state, { epoch });
  return run === null ? null : { ...run, contentParts: [], followers };
}

/** Any run of the session, with its output so far. */
export function runView(
  state: SessionState,
  transcript: Transcript,
  record: RunRecord,
  { epoch, followers }: Moment & { readonly followers: number },
): RunView {
  const contentParts = [...(answerOf(transcript, record.id)?.contentParts ?? [])];
  // A notice is the host's own word about a failed attempt.
  const hasReply = contentParts.some(({ type }) => type !== "notice");
  return { ...summary(state, record, hasReply, { epoch }), contentParts, followers };
}

export function messageView(message: Message): MessageView {
  return { ...message, contentParts: [...message.contentParts] };
}

function answerOf(transcript: Transcript, runId: string): Message | undefined {
  return transcript.messages.findLast((m) => m.role === "assistant" && m.runId === runId);
}

function recordOf(run: RunState): RunRecord {
  const { id, messageId, continues, outcome, inputTokens, outputTokens, startedAt } = run;
  return {
    id,
    messageId,
    continues,
    outcome,
    inputTokens,
    outputTokens,
    startedAt,
    errorMessage: run.error?.message ?? null,
    completedAt: run.endedAt,
    attempt: run.attempt.n,
    taken: [],
    seq: run.startedSeq,
  };
}

function summary(
  state: SessionState,
  record: RunRecord,
  hasReply: boolean,
  moment: Moment,
): RunSummary {
  const { seq: _seq, taken: _taken, from: _from, ...shown } = record;
  const run = state.run?.id === record.id ? state.run : null;
  const { runStatus, pausedReason } = deriveStatus(state, moment);
  const status = run !== null && runStatus !== null ? runStatus : endedAs(record.outcome);
  return {
    ...shown,
    sessionId: state.id,
    replyId: record.outcome !== null && hasReply ? answerId(record.id) : null,
    status,
    pendingApproval: run === null ? null : pendingApproval(run),
    sandboxId: run === null ? null : (state.runtime.sandbox?.id ?? null),
    isPaused: status === "paused",
    pausedReason: run === null ? null : pausedReason,
  };
}

const outcomeWords: Readonly<Record<Outcome, RunStatus>> = {
  completed: "completed",
  failed: "error",
  cancelled: "cancelled",
  interrupted: "interrupted",
};

/** The status of an earlier run; only the latest, which has its own, is without an outcome. */
function endedAs(outcome: Outcome | null): RunStatus {
  return outcome === null ? "interrupted" : outcomeWords[outcome];
}

function openQuestion(run: RunState): ApprovalState | null {
  if (run.outcome !== null) return null;
  return run.approvals.find((asked) => asked.decision === null && !asked.withdrawn) ?? null;
}

/** The name of the call that a question is about; the question may have only its kind. */
export function callName(
  { openTools }: Pick<RunState, "openTools">,
  { toolCallId, toolName }: Pick<ApprovalState, "toolCallId" | "toolName">,
): string {
  return openTools.find(({ id }) => id === toolCallId)?.name ?? toolName;
}

function pendingApproval(run: RunState): RunView["pendingApproval"] {
  const open = openQuestion(run);
  if (open === null) return null;
  const { decision, by, reason, withdrawn, option, ...asked } = approvalView(open, run.approvals);
  return asked;
}

/** `all` are the approvals of the same run; the earlier answered question may be one of them. */
export function approvalView(
  asked: ApprovalState,
  all: readonly ApprovalState[] = [],
): ApprovalView {
  const { id, toolCallId, toolName, input, digest, decision, by, reason, withdrawn } = asked;
  const { options, option = null } = asked;
  const { inputBlob = null, inputPreview = null } = asked;
  const again = askedAgainView(asked, all);
  return {
    id,
    toolUseId: toolCallId,
    toolName,
    toolInput: input,
    inputBlob,
    inputPreview,
    digest,
    decision,
    by,
    reason,
    withdrawn,
    exact: asked.exact,
    options: [...options],
    option,
    ...(again === null ? {} : { askedAgain: again }),
  };
}

function askedAgainView(
  { askedAgain }: ApprovalState,
  all: readonly ApprovalState[],
): NonNullable<ApprovalView["askedAgain"]> | null {
  if (askedAgain === null) return null;
  const { reason, approvalId, files = [] } = askedAgain;
  const before = all.find(({ id }) => id === approvalId)?.input ?? null;
  const changed = reason !== "input_changed" || before === null ? {} : { before };
  return { ...askedAgain, files, ...changed };
}

export function queueView(state: SessionState): QueuedView[] {
  return state.queue.map(queuedView);
}

export function queuedView(queued: QueuedMessage): QueuedView {
  const { id, content, blob, clientId, model, urgent, queuedAt } = queued;
  return { id, content, blob, clientId, model, urgent, queuedAt };
}

/** The run that Continue goes on with: one that stopped without a person's cancel. */
export function continuableRun({ run }: SessionState): string | null {
  return run?.outcome === "interrupted" || run?.outcome === "failed" ? run.id : null;
}

interface StatusMoment extends Moment {
  readonly now: number;
  /** An agent that exited less than this many ms ago may still shut down: a resume waits. */
  readonly staleWindow: number;
  readonly workspaceOk: boolean;
  /** True when some output was truncated because the session's storage limit was reached. */
  readonly hasLeftOut: boolean;
  readonly nextRung: Rung | null;
  readonly onOpen: OnOpen;
}

export function statusView(state: SessionState, moment: StatusMoment): StatusView {
  const { workspaceOk, nextRung } = moment;
  const derived = deriveStatus(state, moment);
  const reason = resumeReason(state, derived, moment);
  const [wait] = openRun(state)?.waits ?? [];
  return {
    lifecycle: derived.lifecycle,
    status: derived.status,
    runtime: runtimeView(state, derived),
    // Opening a session does not replace a lost folder with a new one; a person decides that.
    needsResume: isDown(reason) && isWantedOnOpen(state, moment.onOpen) && workspaceOk,
    isResumable:
      reason !== "ended" &&
      reason !== "unreachable" &&
      // A person must restore their own folder; the host makes its own folder anew.
      (workspaceOk || state.workspace.path === null),
    reason,
    nextRung,
    workspaceOk,
    run: latestRun(state, moment),
    wait:
      wait === undefined
        ? null
        : {
            id: wait.id,
            kind: wait.kind,
            since: wait.openedAt,
            deadlineAt: wait.deadlineAt,
            approvalId: wait.approvalId,
          },
    notice: notice(state, derived, moment),
    words: seedWords(state, moment),
  };
}

function isDown(reason: ResumeReason | null): boolean {
  return reason === "agent_not_running" || reason === "agent_not_running_fresh_start";
}

/** True when opening the session revives its agent; every client checks this before it resumes. */
function isWantedOnOpen(state: SessionState, onOpen: OnOpen): boolean {
  if (onOpen !== "needed") return onOpen === "revive";
  return openRun(state) !== null || needOf(state)?.kind === "interrupted";
}

function resumeReason(
  state: SessionState,
  { lifecycle, runtime }: Derived,
  { now, staleWindow }: StatusMoment,
): ResumeReason | null {
  if (lifecycle === "ended") return "ended";
  if (runtime === "unreachable") return "unreachable";
  // A paused session whose processes are up, or only frozen, resumes in them.
  if (runtime === "frozen") return "agent_not_running";
  if (runtime !== "none") return lifecycle === "paused" ? "agent_not_running" : "already_running";
  const { seen, exitedAt, agentSessionId } = state.runtime;
  // The absolute difference, so that a stepped clock cannot make the session stale for ever.
  const gone = exitedAt === null ? Number.POSITIVE_INFINITY : Math.abs(now - Date.parse(exitedAt));
  if (gone < staleWindow) return "stale_execution";
  if (agentSessionId !== null) return "agent_not_running";
  return seen ? "agent_not_running_fresh_start" : null;
}

function missingWords(state: SessionState): string {
  const { id, workspace } = state;
  // Only an idle agent is restarted.
  const restart = openRun(state) === null ? "resume" : "stop the run and resume";
  return workspace.path === null
    ? `The agent's folder is missing from the data directory (workspaces/${id}). Put it back, or ${restart}: the agent then gets a new, empty folder and is told so.`
    : `The folder ${workspace.path} is missing. Put it back, or start a new session elsewhere.`;
}

function notice(
  state: SessionState,
  { runtime }: Derived,
  { workspaceOk, hasLeftOut }: StatusMoment,
): StatusView["notice"] {
  if (state.ended !== null) return null;
  if (runtime === "unreachable") {
    const message =
      "Can't tell whether the agent is still running. Waiting before starting another.";
    return { code: "unreachable", message };
  }
  if (!workspaceOk) {
    return { code: "workspace_missing", message: missingWords(state) };
  }
  if (state.recovery.reviveError !== null) {
    const { code, message } = state.recovery.reviveError;
    return { code, message };
  }
  if (hasLeftOut) {
    const message =
      "Output storage for this session is full. New long outputs are truncated. To keep long outputs, start a new session.";
    return { code: "output_limit", message };
  }
  const since = openRun(state)?.silentSince ?? null;
  if (since === null) return null;
  const message = `No output since ${since}. Normal for a long command or a slow model.`;
  return { code: "silent", message };
}
