/** Input schemas of all commands. A rule validates first, so that bad input appends no events. */

import { z } from "zod";
import { HostError } from "./errors.ts";
import { type IdKind, isId } from "./ids.ts";
import { json } from "./json.ts";
import { RECOVERED_PARTS, type RecoveredPart, recoveredPart } from "./recovered.ts";
import {
  decisions,
  grades,
  interruptReasons,
  launchScopes,
  pauseReasons,
  rungs,
  waitKinds,
  workspaceContents,
  workspaceLosses,
} from "./vocabulary.ts";

const anId = (kind: IdKind) =>
  z.string().refine((value) => isId(kind, value), { error: `is not a ${kind} id` });
const short = z.string().min(1).max(200);
const blob = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().nonnegative(),
});
const runId = anId("run");
const attempt = z.number().int().min(1);
const clientId = z.string().min(1).max(200);
const toolCallId = z.string().min(1).max(500);
const by = short;
const key = z.string().min(1).max(200);
const time = z.iso.datetime();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const policy = z.record(z.string(), json);
const workspaceMark = z.object({
  digest: hash,
  head: z.string().max(64).nullable(),
  files: z.array(z.tuple([z.string().max(4096), z.string().max(100)])).max(100),
});

/** The most characters of a person's text; a longer one becomes a blob, with a preview here. */
export const MAX_CONTENT = 128 * 1024;
const content = z
  .string()
  .min(1)
  .refine((text) => text.trim() !== "", { error: "is empty" })
  .refine((text) => text.length <= MAX_CONTENT, {
    error: `is longer than ${MAX_CONTENT} characters`,
    params: { code: "too_large" },
  });

const agentError = z.object({
  code: short,
  message: z.string().max(16_384),
  /** The provider's HTTP status, if it sent one. */
  status: z.number().int().optional(),
});

/** A presented resume token as its id, run and hash: the secret itself never reaches a rule. */
export const presentedToken = z.object({ id: anId("token"), runId, hash });
const mintedToken = z.object({ hash, expiresAt: time.nullable() });

const recovered: z.ZodType<RecoveredPart, RecoveredPart> = json.transform((value, context) => {
  const part = recoveredPart(value);
  if (part !== null) return part;
  context.addIssue({ code: "custom", message: "is no part of an answer" });
  return z.NEVER;
}) as never;

const output = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), text: z.string() }),
  z.object({ type: z.literal("part"), part: z.record(z.string(), json) }),
  z.object({
    type: z.literal("usage"),
    inputTokens: z.number().int().nonnegative(),
    outputTokens: z.number().int().nonnegative(),
  }),
  z.object({
    type: z.literal("tool_started"),
    toolCallId,
    name: short,
    input: json,
    blob: blob.optional(),
    gated: z.boolean(),
    delegates: z.literal(true).optional(),
  }),
  z.object({
    type: z.literal("tool_updated"),
    toolCallId,
    output: z.string(),
    /** The tool's name and input, when they became known only after the start. */
    name: short.optional(),
    input: json.optional(),
    blob: blob.optional(),
  }),
  z.object({
    type: z.literal("tool_finished"),
    toolCallId,
    status: z.enum(["completed", "failed", "denied", "cancelled"]),
    output: z.string(),
    blob: blob.optional(),
  }),
]);
export type Output = z.infer<typeof output>;

/** Intents: commands that a caller may give, through HTTP, a socket or the library. */
export const intents = {
  create: z.object({
    sessionId: anId("session"),
    tenant: short,
    title: z.string().min(1).max(500),
    agentName: short,
    model: short.nullable().default(null),
    workspace: z
      .object({
        kind: z.enum(["clone", "worktree", "in-place", "copy", "empty"]),
        path: z.string().min(1).max(4096).nullable().default(null),
        branch: z.string().min(1).max(500).nullable().default(null),
      })
      .default({ kind: "empty", path: null, branch: null }),
    isolation: short.default("none"),
    definition: hash.nullable().default(null),
    policy: policy.default({}),
    key: key.optional(),
  }),
  rename: z.object({ title: z.string().min(1).max(500) }),
  setPolicy: z.object({ policy }),
  prompt: z.object({
    content,
    blob: blob.optional(),
    clientId: clientId.optional(),
    model: short.optional(),
    whenBusy: z.enum(["queue", "interrupt"]).default("queue"),
    by: by.default("user"),
  }),
  editQueued: z.object({ messageId: anId("message"), content, blob: blob.optional() }),
  removeQueued: z.object({ messageId: anId("message") }),
  releaseQueue: z.object({}),
  cancel: z.object({ runId, by: by.default("user") }),
  dismiss: z.object({ runId }),
  retry: z.object({ runId, from: z.enum(["start", "error"]), by: by.default("user") }),
  unpauseRun: z.object({ runId, by: by.default("user") }),
  resumeWait: z.object({
    runId,
    waitId: anId("wait").optional(),
    kind: z.enum(waitKinds).optional(),
    token: presentedToken.optional(),
    by,
    credential: short.optional(),
    key: key.optional(),
    result: json.optional(),
  }),
  mintToken: z.object({ runId, waitId: anId("wait").optional(), token: mintedToken }),
  revokeToken: z.object({ runId, tokenId: anId("token"), reason: short }),
  decide: z
    .object({
      runId,
      approvalId: anId("approval").optional(),
      toolCallId: toolCallId.optional(),
      decision: z.enum([...decisions, "approve"]),
      by,
      credential: short.optional(),
      reason: z.string().max(4096).optional(),
      option: z.string().max(200).optional(),
      /** The digest of the request that the person saw; any other digest is refused. */
      digest: z.string().max(200).optional(),
      token: presentedToken.optional(),
      key: key.optional(),
      /** For allow_always: the pattern that was shown; absent means exactly this input. */
      pattern: z.string().min(1).max(16_384).optional(),
      scope: z.enum(["session", "run"]).default("session"),
    })
    .refine((input) => input.approvalId !== undefined || input.toolCallId !== undefined, {
      error: "needs approvalId or toolCallId",
    }),
  revokeRule: z.object({ ruleId: anId("rule") }),
  pause: z.object({ reason: z.enum(pauseReasons) }),
  revive: z.object({
    mode: z.enum(["revive", "continue", "fresh"]).default("revive"),
    /** True when an idle agent must be restarted, because its folder is gone. */
    isFolderGone: z.boolean().default(false),
  }),
  rewind: z.object({ toSeq: z.number().int().min(1), checkpointId: anId("checkpoint") }),
  fork: z.object({
    from: z.object({ sessionId: anId("session"), seq: z.number().int().min(1) }),
  }),
  end: z.object({ reason: z.enum(["explicit", "ttl", "deleted"]) }),
} as const;

/** Reports: commands by which the host itself says what happened. No caller can give one. */
export const reports = {
  settleCancel: z.object({ runId }),
  complete: z.object({
    runId,
    attempt,
    stopReason: short,
    lastMessageId: short.optional(),
    usage: z
      .object({
        inputTokens: z.number().int().nonnegative(),
        outputTokens: z.number().int().nonnegative(),
      })
      .optional(),
  }),
  /**
   * Reports that every process of the run is proved dead; the rule decides whether the run goes on.
   * A passed deadline proves no death, so only `expireWait` writes `wait_timeout`.
   */
  processDied: z.object({
    runId,
    /** The attempt that is proved dead; absent in recovery, which means the latest one. */
    attempt: attempt.optional(),
    reason: z.enum(interruptReasons).exclude(["wait_timeout"]),
  }),
  unreachable: z.object({ runId, holderId: anId("holder").nullable() }),
  adopt: z.object({ runId }),
  notice: z.object({ runId }),
  pauseRun: z.object({ runId, reason: z.enum(pauseReasons) }),
  accept: z.object({ runId, attempt, holderId: anId("holder").nullable() }),
  failAttempt: z.object({
    runId,
    attempt,
    error: agentError,
    /** The way in which the agent can take the prompt again without repeating its work. */
    way: z.enum(["rewind", "fork", "continue"]).default("continue"),
  }),
  record: z.object({ runId, attempt, output: z.array(output).min(1).max(1000) }),
  openWait: z.object({
    runId,
    attempt,
    kind: z.enum(waitKinds),
    deadlineAt: time.nullable(),
    token: mintedToken,
  }),
  expireWait: z.object({ runId, waitId: anId("wait") }),
  requestApproval: z.object({
    runId,
    attempt,
    toolCallId,
    toolName: short,
    input: json,
    inputBlob: blob.optional(),
    inputPreview: z.string().max(8192).optional(),
    askedBy: z.object({ holderId: anId("holder"), n: z.number().int().min(1) }).nullable(),
    options: z
      .array(
        z.object({ id: z.string().max(200), kind: z.string().max(50), name: z.string().max(200) }),
      )
      .max(16)
      .optional(),
    deadlineAt: time.nullable().default(null),
    token: mintedToken,
    exact: z.boolean().default(true),
    /** The workspace now; null when it could not be read, absent when it was not read. */
    workspace: workspaceMark.nullable().optional(),
  }),
  markWorkspace: z.object({
    runId,
    approvalId: anId("approval"),
    workspace: workspaceMark.nullable(),
  }),
  deliver: z.object({ runId, approvalId: anId("approval") }),
  deliverResult: z.object({ runId, waitId: anId("wait") }),
  revived: z.object({
    rung: z.enum(rungs),
    ms: z.number().nonnegative(),
    grade: z.enum(grades).nullable().default(null),
  }),
  reviveFailed: z.object({ error: agentError }),
  queueLaunch: z.object({
    scope: z.enum(launchScopes),
    live: z.number().int(),
    limit: z.number().int(),
  }),
  agentReady: z.object({
    agentSessionId: short.nullable(),
    holderId: anId("holder").nullable(),
    contextFrom: z.number().int().nullable().optional(),
    cutOffRun: runId.nullable().optional(),
  }),
  agentExited: z.object({ reason: short }),
  speak: z.object({ output: z.array(output).min(1).max(1000) }),
  retireAgentSession: z.object({ agentSessionId: short, reason: short }),
  /** Content that only the agent's own session has; `of` is the run that was cut off. */
  recover: z.object({
    agentSessionId: short,
    of: z.object({ runId, attempt }).nullable(),
    parts: z.array(recovered).min(1).max(RECOVERED_PARTS),
  }),
  /** `runId`: the only run that needs this launch; after the run's end the launch is refused. */
  launchHolder: z.object({ holderId: anId("holder"), runId: runId.optional() }),
  holderExited: z.object({
    holderId: anId("holder"),
    reason: short,
    workspace: z.enum(workspaceContents).optional(),
  }),
  loseWorkspace: z.object({ what: z.enum(workspaceLosses) }),
  sandbox: z.object({
    sandboxId: anId("sandbox"),
    is: z.enum(["ready", "frozen", "thawed", "unreachable", "gone"]),
    provider: short.default("process"),
    reason: z.string().max(1000).default(""),
  }),
  checkpoint: z.object({
    checkpointId: anId("checkpoint"),
    atSeq: z.number().int().nonnegative(),
    consistent: z.boolean(),
    head: z.string().max(200).nullable(),
  }),
  checkpointFailed: z.object({ reason: z.string().min(1).max(1000) }),
  foldJournal: z.object({ upTo: z.number().int().min(1) }),
  receipt: z.object({
    runId: runId.nullable(),
    rung: z.enum(rungs).nullable(),
    ms: z.number().nonnegative().optional(),
    kept: z.array(z.string().max(2000)).max(100),
    lost: z.array(z.string().max(2000)).max(100),
    maybeTwice: z.array(z.string().max(2000)).max(100),
    evidence: z.record(z.string(), json),
  }),
  announce: z.object({}),
} as const;

export const commands = { ...intents, ...reports } as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type IntentName = keyof typeof intents;
export type ReportName = keyof typeof reports;
/** The input that a caller passes; fields with defaults are optional. */
export type CommandInput<N extends CommandName> = z.input<Commands[N]>;
/** The input that a rule gets: parsed, with defaults filled in. */
export type Command<N extends CommandName> = z.output<Commands[N]>;

export function parseCommand<N extends CommandName>(
  name: N,
  input: unknown,
): Command<N> | HostError {
  const parsed = (commands[name] as unknown as z.ZodType<Command<N>>).safeParse(input);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const tooLarge = issues.some(
    (issue) => issue.code === "custom" && issue.params?.code === "too_large",
  );
  const said = issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join(".") || "input"}: ${message}`);
  return new HostError(
    tooLarge ? "too_large" : "bad_input",
    `${name}: ${said.join("; ")}. Correct it and send it again; nothing was changed.`,
  );
}
