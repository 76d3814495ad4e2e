/**
 * Every event that can be journalled: one discriminated union, grouped by lifecycle.
 *
 * An event on the wire is one line `{seq, ts, kind, v?, …}`. Kinds are only added, a changed
 * meaning is a new kind, and readers skip unknown kinds.
 */

import { z } from "zod";
import { json } from "./json.ts";
import {
  askedAgainReasons,
  decisions,
  earlierRuns,
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
/** The id of the credential behind `by`, because two devices may have the same name. */
const credential = z.string();
const time = z.iso.datetime();
/** Wall time minus steady time, in ms, at the write; the event's own times are wall time. */
const clock = z.number().int();
const blob = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.number().int() });
const error = z.object({
  code: z.string(),
  message: z.string(),
  transient: z.boolean().optional(),
});
const approvalOption = z.object({ id: z.string(), kind: z.string(), name: z.string() });
/** A workspace mark: the commit, and size and time of each file that differs from it. */
const workspaceMark = z.object({
  digest: z.string(),
  head: z.string().nullable(),
  /** Path and mark of each file. Of many files only the first are listed; the digest covers all. */
  files: z.array(z.tuple([z.string(), z.string()])),
});
/** The reason why an earlier answer was not used and the person is asked again. */
const askedAgain = z.object({
  reason: z.enum(askedAgainReasons),
  approvalId: id,
  /** That answer; absent in journals of earlier versions. */
  decision: z.enum(decisions).exactOptional(),
  /** For exactly the same input, allowed and used before: that call ran, or may have run. */
  ran: z.enum(earlierRuns).exactOptional(),
  /** Names of files that changed since the earlier question, as far as they are known. */
  files: z.array(z.string()).optional(),
  /** The commit checked out then and now, if it changed. */
  head: z.object({ from: z.string().nullable(), to: z.string().nullable() }).exactOptional(),
});
const run = { runId: id };
/** Every report of an attempt carries its number, so that late ones can be dropped. */
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
    /** The hash of the pinned agent definition; absent without a definition. */
    definition: z.string().nullable().optional(),
    /** The creator's idempotency key: a repeated create with this key returns this session. */
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
  /** The launch waits for a place, because the limit of live agents is reached. */
  fact("session.launch_queued", {
    scope: z.enum(launchScopes),
    live: z.number().int(),
    limit: z.number().int(),
    epoch: z.number().int(),
  }),
  fact("session.rewound", { toSeq: z.number().int(), checkpointId: id }),
  fact("session.forked", { from: z.object({ sessionId: id, seq: z.number().int() }) }),
  // A second one with `deleted` may follow: the session then leaves the lists.
  fact("session.ended", { reason: z.enum(["explicit", "ttl", "deleted"]) }),
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
    /** Sent with "interrupt": goes first, once the cancel that it caused is settled. */
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
    /** The agent's own id of its last message, at which its session can be resumed. */
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
    /** Found in the agent's own session when it was loaded; the host did not receive it live. */
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
    /** True when the host itself executes the call, so that it knows whether the call started. */
    gated: z.boolean(),
    delegates: z.literal(true).optional(),
  }),
  fact("tool.updated", {
    ...attempt,
    toolCallId: z.string(),
    output: z.string(),
    /** The tool's name and input, when they became known only after the start. */
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
    /** True when recovery closed the call, because its process did not report an end. */
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
    /** For an input too large for an event: a blob of its canonical JSON, and the beginning. */
    inputBlob: blob.optional(),
    inputPreview: z.string().optional(),
    digest: z.string(),
    askedBy: z.object({ holderId: id, n: z.number().int() }).nullable(),
    /** The agent's own options; the answer to the agent must be the id of one. */
    options: z.array(approvalOption).optional(),
    /**
     * False when the agent does not tell exactly what would run: the answer counts for this
     * question alone, is never carried over, and no standing rule matches. Absent in journals of
     * earlier versions.
     */
    exact: z.boolean().optional(),
    /** The workspace mark at the question, if it was compared with that of an earlier answer. */
    workspace: workspaceMark.optional(),
    /** The approval whose answer does not fit, because its input was another. */
    changedFrom: id.optional(),
    askedAgain: askedAgain.optional(),
  }),
  /** The workspace mark at the time of the question; null when the workspace could not be read. */
  fact("approval.marked", { ...run, approvalId: id, workspace: workspaceMark.nullable() }),
  fact("approval.decided", {
    ...run,
    approvalId: id,
    decision: z.enum(decisions),
    by: z.string(),
    credential: credential.optional(),
    reason: z.string().optional(),
    /** The agent's own option that was chosen; absent for a plain yes or no. */
    option: z.string().optional(),
    ruleId: id.optional(),
    /** The earlier approval with the same digest whose answer is used here. */
    carriedFrom: id.optional(),
  }),
  fact("approval.delivered", { ...run, approvalId: id }),
  /** The agent received the result of its wait: live, or in the prompt of a new launch. */
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
    /**
     * The contents of the session's folder at the agent's exit; absent when they are unknown. An
     * exit that the host did not see has no `empty`, because the folder may have been emptied since.
     */
    workspace: z.enum(workspaceContents).optional(),
  }),
  /** The agent's folder was missing, or was empty although it had held files before. */
  fact("workspace.lost", { what: z.enum(workspaceLosses) }),
  fact("agent.ready", {
    agentSessionId: z.string().nullable(),
    holderId: id.nullable(),
    epoch: z.number(),
    contextFrom: z.number().int().nullable().optional(),
    /** The run that was cut off: the next prompt repeats its last output and calls. */
    cutOffRun: id.nullable().optional(),
  }),
  fact("agent.exited", { reason: z.string() }),
  /** Output while no run is open. After a run that was cut off, the transcript adds it to that run. */
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

/** An event as a rule decides it; the owner adds `seq` and `ts`. */
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

/** The largest event line that a journal takes; larger output is stored as a preview and a blob. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** The line of an event whose first properties are `seq` and `ts`. */
export function encodeStamped(event: Event): string {
  return `${JSON.stringify(event)}\n`;
}

/** Parses the lines of a journal slice. Unknown kinds are kept; the folds skip them. */
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
