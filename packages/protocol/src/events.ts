/**
 * Every fact that can be journalled: one discriminated union, grouped by lifecycle.
 *
 * An event on the wire is one line `{seq, ts, kind, v?, …}`. Kinds are only ever added, a changed
 * meaning is a new kind, and readers skip kinds they do not know.
 */

import { z } from "zod";
import { json } from "./json.ts";
import {
  askedAgainReasons,
  decisions,
  grades,
  interruptReasons,
  launchScopes,
  pauseReasons,
  rungs,
  statuses,
  waitKinds,
  ways,
  workspaceContents,
  workspaceLosses,
} from "./vocabulary.ts";

export type { Json } from "./json.ts";

const id = z.string();
/** The id of the credential that `by` came in with: two devices may have one name. */
const credential = z.string();
const time = z.iso.datetime();
/** How far wall time was ahead of steady time when this was written: its times are wall time. */
const clock = z.number().int();
const blob = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.number().int() });
const error = z.object({
  code: z.string(),
  message: z.string(),
  transient: z.boolean().optional(),
});
const approvalOption = z.object({ id: z.string(), kind: z.string(), name: z.string() });
/** A mark of a workspace: its commit, and size and time of each file that differs from it. */
const workspaceMark = z.object({
  digest: z.string(),
  head: z.string().nullable(),
  /** Path and mark; only the first ones of many, while the digest covers all. */
  files: z.array(z.tuple([z.string(), z.string()])),
});
/** Why an earlier answer was not used, and the person is asked again. */
const askedAgain = z.object({
  reason: z.enum(askedAgainReasons),
  /** The earlier question. */
  approvalId: id,
  /** The files that changed since it was asked, as far as they are known by name. */
  files: z.array(z.string()).optional(),
  /** The commit that was checked out then and is now, where that changed. */
  head: z.object({ from: z.string().nullable(), to: z.string().nullable() }).optional(),
});
const run = { runId: id };
/** Every write of a run carries which launch made it, so that a late one can be dropped. */
const attempt = { runId: id, attempt: z.number().int().min(1) };

function fact<K extends string, S extends z.ZodRawShape>(kind: K, shape: S) {
  return z.object({ kind: z.literal(kind), ...shape });
}

const sessionFacts = [
  fact("session.created", {
    sessionId: id,
    tenant: z.string(),
    title: z.string(),
    agentName: z.string(),
    model: z.string().nullable(),
    workspace: z.object({
      kind: z.string(),
      path: z.string().nullable(),
      branch: z.string().nullable(),
    }),
    isolation: z.string(),
    policy: z.record(z.string(), json),
    /** The hash of the agent definition that it keeps; absent where it has none. */
    definition: z.string().nullable().optional(),
    /** The creator's idempotency key: asking again gets this session. */
    key: z.string().optional(),
  }),
  fact("session.renamed", { title: z.string() }),
  fact("session.policy_changed", { policy: z.record(z.string(), json) }),
  fact("session.paused", { reason: z.enum(pauseReasons) }),
  fact("session.reviving", { mode: z.enum(["revive", "continue", "fresh"]), epoch: z.number() }),
  fact("session.resumed", {
    rung: z.enum(rungs),
    ms: z.number(),
    grade: z.enum(grades).nullable(),
    epoch: z.number(),
    bootId: id,
  }),
  fact("session.revive_failed", { error }),
  /** Its agent has to wait: as many are live as may be. */
  fact("session.launch_queued", {
    scope: z.enum(launchScopes),
    live: z.number().int(),
    limit: z.number().int(),
    epoch: z.number().int(),
  }),
  fact("session.rewound", { toSeq: z.number().int(), checkpointId: id }),
  fact("session.forked", { from: z.object({ sessionId: id, seq: z.number().int() }) }),
  fact("session.ended", { reason: z.enum(["explicit", "ttl"]) }),
  fact("journal.folded", { upTo: z.number().int() }),
] as const;

const messageFacts = [
  fact("message.user", {
    messageId: id,
    content: z.string(),
    blob: blob.optional(),
    clientId: z.string().optional(),
    model: z.string().optional(),
  }),
  fact("message.queued", {
    messageId: id,
    content: z.string(),
    blob: blob.optional(),
    clientId: z.string().optional(),
    model: z.string().optional(),
    /** Sent with "interrupt": goes first, and starts by itself after the cancel it caused. */
    urgent: z.boolean().optional(),
  }),
  fact("message.edited", { messageId: id, content: z.string(), blob: blob.optional() }),
  fact("message.removed", { messageId: id }),
] as const;

const runFacts = [
  fact("run.started", {
    ...run,
    messageId: id,
    epoch: z.number(),
    bootId: id,
    model: z.string().nullable(),
    continues: id.optional(),
    from: z.enum(["start", "error"]).optional(),
  }),
  fact("run.cancel_requested", { ...run, by: z.string() }),
  fact("run.paused", { ...run, reason: z.enum(pauseReasons) }),
  fact("run.waiting", {
    ...run,
    waitId: id,
    waitKind: z.enum(waitKinds),
    epoch: z.number(),
    resumeTokenId: id.nullable(),
    deadlineAt: time.nullable(),
    clock: clock.optional(),
    approvalId: id.nullable(),
  }),
  fact("run.resumed", {
    ...run,
    waitId: id.nullable(),
    by: z.string(),
    credential: credential.optional(),
    key: z.string().optional(),
    result: json.optional(),
  }),
  fact("run.unreachable", { ...run, holderId: id.nullable() }),
  fact("run.adopted", { ...run, epoch: z.number(), bootId: id }),
  fact("run.silent", { ...run, since: time }),
  fact("run.completed", {
    ...run,
    stopReason: z.string(),
    /** The agent's own id of its last message: its session can be resumed at it. */
    lastMessageId: z.string().optional(),
  }),
  fact("run.failed", { ...run, error }),
  fact("run.cancelled", { ...run, reason: z.string() }),
  fact("run.interrupted", { ...run, reason: z.enum(interruptReasons), bootId: id }),
  fact("run.dismissed", run),
] as const;

const attemptFacts = [
  fact("attempt.started", {
    ...attempt,
    epoch: z.number(),
    cause: z.enum(["prompt", "transient", "answered", "resumed"]),
    way: z.enum(ways),
  }),
  fact("attempt.accepted", { ...attempt, holderId: id.nullable() }),
  fact("attempt.failed", { ...attempt, error }),
] as const;

const outputFacts = [
  fact("text.appended", { ...attempt, text: z.string() }),
  fact("thinking.appended", { ...attempt, text: z.string() }),
  fact("part.added", {
    ...attempt,
    part: z.record(z.string(), json),
    /** Found in the agent's own session when it was loaded; nobody heard it when it was said. */
    recovered: z.boolean().optional(),
  }),
  fact("usage.reported", {
    ...attempt,
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
  }),
  fact("tool.started", {
    ...attempt,
    toolCallId: z.string(),
    name: z.string(),
    input: json,
    blob: blob.optional(),
    /** True when we execute it ourselves, so that "not started" can be told from "unknown". */
    gated: z.boolean(),
    /** Another agent below it does the work. */
    delegates: z.literal(true).optional(),
  }),
  fact("tool.updated", {
    ...attempt,
    toolCallId: z.string(),
    output: z.string(),
    /** What it is and what it was given, where that was not known when it started. */
    name: z.string().optional(),
    input: json.optional(),
    blob: blob.optional(),
  }),
  fact("tool.finished", {
    ...attempt,
    toolCallId: z.string(),
    status: z.enum(["completed", "failed", "denied", "cancelled", "unknown", "not_started"]),
    output: z.string(),
    blob: blob.optional(),
    /** True when no process said so: recovery closed the call. */
    synthetic: z.boolean().optional(),
  }),
] as const;

const waitFacts = [
  fact("approval.requested", {
    ...attempt,
    approvalId: id,
    toolCallId: z.string(),
    toolName: z.string(),
    input: json,
    /** Of an input too large for an event: all of it as canonical JSON, and its beginning. */
    inputBlob: blob.optional(),
    inputPreview: z.string().optional(),
    digest: z.string(),
    askedBy: z.object({ holderId: id, n: z.number().int() }).nullable(),
    /** The agent's own words for the answers it takes: it must get one of its ids back. */
    options: z.array(approvalOption).optional(),
    /**
     * False when the agent does not say what exactly would run: the answer counts for this question
     * alone, is never carried over, and no rule matches. Absent in journals of earlier versions.
     */
    exact: z.boolean().optional(),
    /** The workspace at the question, where an earlier answer was compared with it. */
    workspace: workspaceMark.optional(),
    /** Set when an earlier answer did not fit any more: what was approved then. */
    changedFrom: id.optional(),
    askedAgain: askedAgain.optional(),
  }),
  /** What the workspace looked like when the question was put; null where it could not be read. */
  fact("approval.marked", { ...run, approvalId: id, workspace: workspaceMark.nullable() }),
  fact("approval.decided", {
    ...run,
    approvalId: id,
    decision: z.enum(decisions),
    by: z.string(),
    credential: credential.optional(),
    reason: z.string().optional(),
    /** The agent's own option that was chosen; absent when the answer was only yes or no. */
    option: z.string().optional(),
    ruleId: id.optional(),
    /** The earlier approval whose answer is used here, for the same digest. */
    carriedFrom: id.optional(),
  }),
  fact("approval.delivered", { ...run, approvalId: id }),
  /** The agent has the result its wait was for: live, or in the prompt of a new launch. */
  fact("result.delivered", { ...run, waitId: id }),
  fact("approval.withdrawn", { ...run, approvalId: id, reason: z.string() }),
  fact("rule.granted", {
    ruleId: id,
    toolName: z.string(),
    pattern: z.string(),
    scope: z.enum(["session", "run"]),
    runId: id.nullable(),
  }),
  fact("rule.revoked", { ruleId: id, reason: z.string() }),
  fact("token.minted", {
    ...run,
    tokenId: id,
    waitId: id,
    waitKind: z.enum(waitKinds),
    hash: z.string(),
    expiresAt: time.nullable(),
    /** The life that minted it. */
    epoch: z.number().optional(),
    clock: clock.optional(),
  }),
  fact("token.consumed", { ...run, tokenId: id, key: z.string().optional() }),
  fact("token.revoked", { ...run, tokenId: id, reason: z.string() }),
  fact("token.expired", { ...run, tokenId: id }),
] as const;

const runtimeFacts = [
  fact("sandbox.ready", { sandboxId: id, provider: z.string() }),
  fact("sandbox.frozen", { sandboxId: id }),
  fact("sandbox.thawed", { sandboxId: id }),
  fact("sandbox.unreachable", { sandboxId: id, reason: z.string() }),
  fact("sandbox.gone", { sandboxId: id, reason: z.string() }),
  fact("holder.launched", { holderId: id, epoch: z.number() }),
  fact("holder.exited", {
    holderId: id,
    reason: z.string(),
    /** The session's folder as the agent left it; absent where it could not be read. */
    workspace: z.enum(workspaceContents).optional(),
  }),
  /** The folder that an agent had worked in was gone, or was empty although the agent left files. */
  fact("workspace.lost", { what: z.enum(workspaceLosses) }),
  fact("agent.ready", {
    agentSessionId: z.string().nullable(),
    holderId: id.nullable(),
    epoch: z.number(),
    /** The first message, by its seq, that the agent does not know. */
    contextFrom: z.number().int().nullable().optional(),
    /** The run that was cut off before: what it said and did last is told with the next prompt. */
    cutOffRun: id.nullable().optional(),
  }),
  fact("agent.exited", { reason: z.string() }),
  /** Said between turns: it belongs to no run. */
  fact("agent.spoke", {
    text: z.string().optional(),
    part: z.record(z.string(), json).optional(),
    recovered: z.boolean().optional(),
  }),
  fact("agent.session_retired", { agentSessionId: z.string(), reason: z.string() }),
  fact("checkpoint.created", {
    checkpointId: id,
    atSeq: z.number().int(),
    consistent: z.boolean(),
    head: z.string().nullable(),
  }),
  fact("checkpoint.failed", { reason: z.string() }),
] as const;

const recoveryFacts = [
  fact("receipt.issued", {
    receiptId: id,
    runId: id.nullable(),
    rung: z.enum(rungs).nullable(),
    /** How long the recovery took. */
    ms: z.number().optional(),
    kept: z.array(z.string()),
    lost: z.array(z.string()),
    maybeTwice: z.array(z.string()),
    evidence: z.record(z.string(), json),
  }),
  fact("status.derived", { status: z.enum(statuses), lifecycle: z.string(), bootId: id }),
] as const;

export const eventBody = z.discriminatedUnion("kind", [
  ...sessionFacts,
  ...messageFacts,
  ...runFacts,
  ...attemptFacts,
  ...outputFacts,
  ...waitFacts,
  ...runtimeFacts,
  ...recoveryFacts,
]);

/** What a rule decides; the owner adds `seq` and `ts`. */
export type EventBody = z.infer<typeof eventBody>;
export type EventKind = EventBody["kind"];
export type Stamped<B> = B & { readonly seq: number; readonly ts: string; readonly v?: number };
export type Event = Stamped<EventBody>;
export type EventOf<K extends EventKind> = Extract<EventBody, { kind: K }>;

export type BlobRef = z.infer<typeof blob>;
export type EventError = z.infer<typeof error>;
export type ApprovalOption = z.infer<typeof approvalOption>;
export type WorkspaceMark = z.infer<typeof workspaceMark>;
export type AskedAgain = z.infer<typeof askedAgain>;

/** The largest event line a journal takes; larger output is a preview plus a blob. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** `seq` first, then `ts` and `kind`: the line is written once and never rewritten. */
export function encodeEvent(seq: number, ts: string, body: EventBody): string {
  return `${JSON.stringify({ seq, ts, ...body })}\n`;
}

/** Lines of a journal slice. Unknown kinds come through: `fold` and `transcript` skip them. */
export function decodeEvents(bytes: Uint8Array): Event[] {
  const text = new TextDecoder().decode(bytes);
  const events: Event[] = [];
  let from = 0;
  for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
    events.push(JSON.parse(text.slice(from, to)) as Event);
    from = to + 1;
  }
  return events;
}
