/** Schemas of the HTTP API's replies: handlers, client and OpenAPI are typed by them. */

import { z } from "zod";
import type { Event } from "../events.ts";
import { json } from "../json.ts";
import { generationStatuses, generations, taskSessionStates, taskStates } from "../seed-words.ts";
import type { SessionState } from "../session.ts";
import { lifecycles, runStatuses } from "../status.ts";
import { blob, messageShape, partShape } from "../transcript/shapes.ts";
import {
  agentEnds,
  askedAgainReasons,
  decisions,
  earlierRuns,
  grades,
  HAPPENING,
  happenings,
  launchScopes,
  needKinds,
  rungs,
  scopes,
  sessionWords,
  statuses,
  waitKinds,
} from "../vocabulary.ts";
import {
  fileChangeShape,
  workspaceDiffShape,
  workspaceEntryShape,
  workspaceFileShape,
  workspaceFolderShape,
  workspaceStatusShape,
} from "./workspace-shapes.ts";

const id = z.string();
const time = z.string();
const maybe = <T extends z.ZodType>(shape: T) => shape.nullable();

const runtimeStates = ["none", "starting", "live", "frozen", "unreachable"] as const;

export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  /** The same message, for clients that read `error`. */
  error: z.string(),
  /** The request field that the error is about, such as `body.title`, and the reason. */
  field: z.object({ path: z.string(), reason: z.string() }).exactOptional(),
});

const runtimeShape = z.object({
  state: z.enum(runtimeStates),
  agentSessionId: maybe(z.string()),
  lastMessageId: maybe(z.string()),
  sandbox: maybe(z.object({ provider: z.string(), id, state: z.string() })),
  holder: maybe(z.object({ id, attempt: maybe(z.number().int()) })),
  /** Set while a `starting` session waits for a free place. */
  waiting: maybe(
    z.object({
      since: time,
      scope: z.enum(launchScopes),
      live: z.number().int(),
      limit: z.number().int(),
    }),
  ).optional(),
  worktree: maybe(
    z.object({
      id: maybe(id),
      path: maybe(z.string()),
      branch: maybe(z.string()),
      head: maybe(z.string()),
    }),
  ),
});

export const sessionShape = z.object({
  id,
  title: z.string(),
  agentName: z.string(),
  model: maybe(z.string()),
  sandboxId: maybe(id),
  lifecycle: z.enum(lifecycles),
  status: z.enum(statuses),
  /** The session in one word, for lists. Finished work stays `done` while its agent is paused. */
  word: z.enum(sessionWords),
  /** The reason why the session needs a person, and since when; null while it needs no one. */
  need: maybe(z.object({ kind: z.enum(needKinds), since: time })),
  currentRunId: maybe(id),
  runtime: runtimeShape,
  workspace: z.object({
    kind: z.string(),
    path: maybe(z.string()),
    branch: maybe(z.string()),
  }),
  isolation: z.string(),
  policy: z.record(z.string(), json),
  lastSeq: z.number().int(),
  createdAt: time,
  updatedAt: time,
  lastActiveAt: time,
  lastMessageAt: maybe(time),
  queued: z.number().int(),
  /** The latest happening in one line: an agent's words, at most 120 characters. */
  happening: maybe(z.object({ kind: z.enum(happenings), text: z.string().max(HAPPENING) })),
  recovery: z.object({
    lastBootSeen: maybe(id),
    interruption: maybe(
      z.object({
        runId: id,
        reason: z.string(),
        agentEnd: z.enum(agentEnds).exactOptional(),
        at: time,
      }),
    ),
    derived: maybe(z.enum(statuses)),
    rung: maybe(z.enum(rungs)),
    receipts: z.number().int(),
    reviveError: maybe(z.object({ code: z.string(), message: z.string(), at: time.optional() })),
  }),
  /** Set when the journal is damaged: readable up to `readableTo`, and no commands. */
  damage: maybe(z.object({ reason: z.string(), readableTo: maybe(z.number().int()) })),
  /** True after a person deleted the session: lists leave it out. */
  deleted: z.literal(true).exactOptional(),
});

export const needsShape = z.object({
  waiting: z.number().int(),
  interrupted: z.number().int(),
  failed: z.number().int(),
});

export const approvalShape = z.object({
  id,
  toolUseId: z.string(),
  toolName: z.string(),
  toolInput: json,
  /** Set when the input was too large for an event: a blob of the whole input as canonical JSON. */
  inputBlob: maybe(blob),
  inputPreview: maybe(z.string()),
  digest: z.string(),
  decision: maybe(z.enum(decisions)),
  by: maybe(z.string()),
  reason: maybe(z.string()),
  withdrawn: z.boolean(),
  /** The agent's own options, in its words. */
  options: z.array(z.object({ id: z.string(), kind: z.string(), name: z.string() })),
  option: maybe(z.string()),
  /** False when the agent does not tell what exactly would run: no "always" then. */
  exact: z.boolean().exactOptional(),
  /** The reason why the person is asked in spite of an earlier answer, and the differences. */
  askedAgain: z
    .object({
      reason: z.enum(askedAgainReasons),
      /** The earlier question and its answer; absent on earlier hosts. */
      approvalId: id.exactOptional(),
      decision: z.enum(decisions).exactOptional(),
      /** For exactly the same input, allowed and used before: that call ran, or may have run. */
      ran: z.enum(earlierRuns).exactOptional(),
      /** The input of the earlier question, if it was another. */
      before: json.exactOptional(),
      files: z.array(z.string()),
      head: z.object({ from: maybe(z.string()), to: maybe(z.string()) }).exactOptional(),
    })
    .exactOptional(),
});

export const runShape = z.object({
  id,
  sessionId: id,
  messageId: id,
  /** The reply's message; null until the run is over, and for a run without output. */
  replyId: maybe(id),
  status: z.enum(runStatuses),
  outcome: maybe(z.enum(["completed", "failed", "cancelled", "interrupted"])),
  contentParts: z.array(partShape),
  pendingApproval: maybe(
    approvalShape.omit({ decision: true, by: true, reason: true, withdrawn: true, option: true }),
  ),
  sandboxId: maybe(id),
  isPaused: z.boolean(),
  pausedReason: maybe(z.string()),
  errorMessage: maybe(z.string()),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  startedAt: time,
  completedAt: maybe(time),
  attempt: z.number().int(),
  continues: maybe(id),
  followers: z.number().int(),
});

export const queuedShape = z.object({
  id,
  content: z.string(),
  /** Set when `content` is only the beginning of a message too long for an event. */
  blob: maybe(blob),
  clientId: maybe(z.string()),
  model: maybe(z.string()),
  urgent: z.boolean(),
  queuedAt: time,
});

/**
 * An event as it is journalled. Callers get the whole type; the schema has the members of every
 * kind, because a journal may hold kinds of a newer version.
 */
export const eventShape = z.looseObject({
  seq: z.number().int(),
  ts: time,
  kind: z.string(),
}) as z.ZodType as z.ZodType<Event>;

/** A session's state. Its further members may change with `foldVersion`. */
export const stateShape = z.looseObject({
  seq: z.number().int(),
  id,
}) as z.ZodType as z.ZodType<SessionState>;

export const receiptShape = z.object({
  receiptId: id,
  seq: z.number().int(),
  ts: time,
  runId: maybe(id),
  rung: maybe(z.enum(rungs)),
  /** Duration of the recovery in ms; null when it was not measured. */
  ms: maybe(z.number()),
  kept: z.array(z.string()),
  lost: z.array(z.string()),
  maybeTwice: z.array(z.string()),
  evidence: z.record(z.string(), json),
});

export const listedReceiptShape = receiptShape.extend({
  /** Calls after the recovery that repeat a call before the cut, by tool and input. */
  ranAgain: z.array(
    z.object({
      toolCallId: id,
      name: z.string(),
      firstCallId: id,
      exact: z.boolean(),
      otherResult: z.literal(true).optional(),
    }),
  ),
});

const resumeReasons = [
  "already_running",
  "stale_execution",
  "agent_not_running",
  "agent_not_running_fresh_start",
  "unreachable",
  "ended",
] as const;

const seedWordsShape = z.object({
  generationStatus: z.enum(generationStatuses),
  generation: maybe(z.enum(generations)),
  session: z.enum(taskSessionStates),
  task: z.enum(taskStates),
  isActive: z.boolean(),
});

export const statusShape = z.object({
  lifecycle: z.enum(lifecycles),
  status: z.enum(statuses),
  runtime: runtimeShape,
  /** True when the agent is down, and policy `onOpen` wants it up when the session is opened. */
  needsResume: z.boolean(),
  isResumable: z.boolean(),
  reason: maybe(z.enum(resumeReasons)),
  nextRung: maybe(z.enum(rungs)),
  workspaceOk: z.boolean(),
  run: maybe(runShape.omit({ contentParts: true, followers: true })),
  wait: maybe(
    z.object({
      id,
      kind: z.enum(waitKinds),
      since: time,
      deadlineAt: maybe(time),
      approvalId: maybe(id),
    }),
  ),
  notice: maybe(z.object({ code: z.string(), message: z.string() })),
  words: seedWordsShape,
});

export const resumeShape = z.object({
  rung: z.enum(rungs),
  ms: z.number(),
  grade: maybe(z.enum(grades)),
  receipt: maybe(receiptShape),
});

export const ruleShape = z.object({
  id,
  toolName: z.string(),
  pattern: z.string(),
  scope: z.enum(["session", "run"]),
  runId: maybe(id),
});

export const keyShape = z.object({
  id,
  name: z.string(),
  tenant: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: time,
  expiresAt: maybe(time),
});

export const deviceShape = keyShape.extend({ lastSeenAt: maybe(time), current: z.boolean() });

export const agentShape = z.object({
  name: z.string(),
  installed: z.boolean(),
  version: maybe(z.string()),
  resume: z.enum(["native", "none"]),
  history: z.enum(["inject", "fallback", "never"]),
  missing: maybe(z.string()),
  /** The way to get the agent: a command for a terminal, or advice in words. */
  install: z
    .union([z.object({ command: z.string() }), z.object({ advice: z.string() })])
    .exactOptional(),
  title: z.string(),
  /** Hosts that the agent must be able to reach. */
  hosts: z.array(z.string()),
  /** True when the agent's processes may be frozen and thawed. */
  freeze: z.boolean(),
  tested: z.string().exactOptional(),
  quirks: z.array(z.string()),
});

export const agentCheckShape = z.object({
  name: z.string(),
  command: z.array(z.string()),
  version: maybe(z.string()),
  protocolVersion: z.number(),
  startMs: z.number(),
  newMs: maybe(z.number()),
  /** The session features that the agent reports. */
  can: z.array(z.string()),
  modes: z.array(z.string()),
  logins: z.array(z.string()),
  unwritable: z.array(z.string()),
  /** The agent's reply to loading an unknown session; null when it cannot load sessions. */
  unknownSession: maybe(z.string()),
  problem: maybe(z.string()),
  tested: z.string().exactOptional(),
  /** `found` is true when a login was found; absent when that cannot be determined. */
  login: z
    .object({ found: z.boolean(), how: z.string(), looked: z.array(z.string()) })
    .exactOptional(),
  /** The isolation around the agent, and whether it ends all processes that the agent started. */
  isolation: z.string().exactOptional(),
  survivorsEnd: z.boolean().exactOptional(),
});

/** The shapes by the names that OpenAPI gives them. */
export const shapes = {
  Problem: problem,
  Runtime: runtimeShape,
  Session: sessionShape,
  Approval: approvalShape,
  Part: partShape,
  Run: runShape,
  Message: messageShape,
  QueuedMessage: queuedShape,
  Event: eventShape,
  State: stateShape,
  Receipt: receiptShape,
  Status: statusShape,
  Resume: resumeShape,
  StandingRule: ruleShape,
  Device: deviceShape,
  Key: keyShape,
  Agent: agentShape,
  AgentCheck: agentCheckShape,
  WorkspaceStatus: workspaceStatusShape,
  WorkspaceDiff: workspaceDiffShape,
  FileChange: fileChangeShape,
  WorkspaceFolder: workspaceFolderShape,
  WorkspaceEntry: workspaceEntryShape,
  WorkspaceFile: workspaceFileShape,
} as const;

export type Problem = z.infer<typeof problem>;
export type RuntimeView = z.infer<typeof runtimeShape>;
export type Needs = z.infer<typeof needsShape>;
export type SessionView = z.infer<typeof sessionShape>;
export type RunView = z.infer<typeof runShape>;
export type StatusView = z.infer<typeof statusShape>;
export type ResumeReason = (typeof resumeReasons)[number];
export type ApprovalView = z.infer<typeof approvalShape>;
export type QueuedView = z.infer<typeof queuedShape>;
export type DeviceView = z.infer<typeof deviceShape>;
export type KeyView = z.infer<typeof keyShape>;
export type AgentView = z.infer<typeof agentShape>;
export type AgentCheckView = z.infer<typeof agentCheckShape>;
