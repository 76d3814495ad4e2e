/** The whole HTTP surface as one table: handlers, client and OpenAPI are made from it. */

import { z } from "zod";
import { commands, MAX_CONTENT } from "./commands.ts";
import { decisions, statuses } from "./events.ts";
import { json } from "./json.ts";
import {
  agentCheckShape,
  agentShape,
  approvalShape,
  deviceShape,
  keyShape,
  messageShape,
  queuedShape,
  receiptShape,
  resumeShape,
  ruleShape,
  runShape,
  type Scope,
  scopes,
  sessionShape,
  statusShape,
} from "./shapes.ts";

export interface RouteSpec {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly summary: string;
  /** The least a credential must allow. `public` answers hold no data. */
  readonly access: "public" | Scope;
  /** A resume token in the body is credential enough. */
  readonly orToken?: true;
  readonly query?: z.ZodObject;
  /** Strict, and every object in it: a field that nobody reads is a mistake, and is said to be one. */
  readonly body?: z.ZodType;
  readonly status?: 200 | 201 | 202 | 204;
  /** May answer 202 instead, with the same reply, while the work goes on. */
  readonly goesOn?: true;
  /** What it answers with; a stream has no single reply. */
  readonly reply?: z.ZodType;
  /** It answers with bytes as they are, which nobody may take for a page. */
  readonly bytes?: true;
  readonly stream?: "sse" | "websocket";
  /** It tells of every tenant: only for those of the host's own. */
  readonly wholeHost?: true;
}

const session = z.object({ session: sessionShape });
const run = z.object({ success: z.boolean(), run: runShape });
const empty = z.strictObject({}).default({});
const name = z.string().trim().min(1).max(200);
const clientId = z.string().min(1).max(200);
const clearToken = z.string().min(1).max(500);
const seq = z.coerce.number().int().nonnegative();
const limit = (most: number, usual: number) =>
  z.coerce.number().int().min(1).max(most).default(usual);
const content = z
  .string()
  .regex(/\S/, "is empty")
  .max(MAX_CONTENT * 8);

const table = {
  health: {
    method: "GET",
    path: "/health",
    summary: "Whether the host is up, and which life it is",
    access: "public",
    reply: z.object({
      status: z.literal("ok"),
      bootId: z.string(),
      version: z.string(),
      pid: z.number().int(),
    }),
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    summary: "This table as OpenAPI 3.1",
    access: "read",
    reply: z.record(z.string(), z.unknown()),
  },
  metrics: {
    method: "GET",
    path: "/metrics",
    summary: "Counters of all tenants together, in Prometheus' text format",
    access: "admin",
    wholeHost: true,
    reply: z.string(),
  },

  login: {
    method: "POST",
    path: "/api/login",
    summary: "Exchange a one-time link's code for a device credential",
    access: "public",
    body: z.strictObject({ code: z.string().min(1).max(200), name: name.default("device") }),
    reply: z.object({ device: deviceShape, token: z.string(), session: z.string().nullable() }),
  },
  listDevices: {
    method: "GET",
    path: "/api/devices",
    summary: "Devices that may come in",
    access: "read",
    reply: z.object({ devices: z.array(deviceShape) }),
  },
  revokeDevice: {
    method: "DELETE",
    path: "/api/devices/:deviceId",
    summary: "Lock a device out; its streams end at once",
    access: "write",
    reply: z.object({ success: z.boolean() }),
  },
  createLink: {
    method: "POST",
    path: "/api/links",
    summary: "A one-time link that lets one more device in",
    access: "write",
    body: z.strictObject({ session: z.string().optional() }).default({}),
    status: 201,
    reply: z.object({ url: z.string(), code: z.string(), expiresAt: z.string() }),
  },
  listKeys: {
    method: "GET",
    path: "/api/keys",
    summary: "API keys, without their secrets",
    access: "admin",
    reply: z.object({ keys: z.array(keyShape) }),
  },
  createKey: {
    method: "POST",
    path: "/api/keys",
    summary: "A new API key; its secret is shown this once",
    access: "admin",
    body: z.strictObject({
      name,
      tenant: z
        .string()
        .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/)
        .optional(),
      scopes: z.array(z.enum(scopes)).min(1).default(["read", "write"]),
      expiresAt: z.iso.datetime().nullable().default(null),
    }),
    status: 201,
    reply: z.object({ key: keyShape, secret: z.string() }),
  },
  revokeKey: {
    method: "DELETE",
    path: "/api/keys/:keyId",
    summary: "End an API key; its streams end at once",
    access: "admin",
    reply: z.object({ success: z.boolean() }),
  },
  createTicket: {
    method: "POST",
    path: "/api/tickets",
    summary: "A ticket for one EventSource connection within 30 seconds",
    access: "read",
    body: empty,
    status: 201,
    reply: z.object({ ticket: z.string(), expiresAt: z.string() }),
  },

  createSession: {
    method: "POST",
    path: "/api/sessions",
    summary: "Start a session, with its first message or without",
    access: "write",
    body: z.strictObject({
      agent: name,
      title: z.string().trim().min(1).max(500).optional(),
      workspace: commands.create.shape.workspace.unwrap().strict().optional(),
      model: name.optional(),
      policy: z.record(z.string(), json).optional(),
      message: content.optional(),
      clientId: clientId.optional(),
    }),
    status: 201,
    reply: z.object({ session: sessionShape, run: runShape.nullable() }),
  },
  listSessions: {
    method: "GET",
    path: "/api/sessions",
    summary: "Sessions, the latest first",
    access: "read",
    query: z.object({
      status: z.enum(statuses).optional(),
      q: z.string().max(200).optional(),
      cursor: z.string().max(500).optional(),
      limit: limit(200, 50),
    }),
    reply: z.object({ sessions: z.array(sessionShape), cursor: z.string().nullable() }),
  },
  getSession: {
    method: "GET",
    path: "/api/sessions/:sessionId",
    summary: "One session",
    access: "read",
    reply: session,
  },
  updateSession: {
    method: "PATCH",
    path: "/api/sessions/:sessionId",
    summary: "Rename a session, or change its policy",
    access: "write",
    body: z.strictObject({
      title: z.string().trim().min(1).max(500).optional(),
      policy: z.record(z.string(), json).optional(),
    }),
    reply: session,
  },
  deleteSession: {
    method: "DELETE",
    path: "/api/sessions/:sessionId",
    summary: "End a session; it is kept for a while and then deleted",
    access: "write",
    reply: session,
  },
  sendMessage: {
    method: "POST",
    path: "/api/sessions/:sessionId/messages",
    summary: "Send a message: it starts a run, or is queued behind the one that goes on",
    access: "write",
    body: z.strictObject({
      content,
      clientId: clientId.optional(),
      model: name.optional(),
      whenBusy: z.enum(["queue", "interrupt"]).optional(),
    }),
    status: 202,
    reply: z.object({
      run: runShape.nullable(),
      queued: queuedShape.nullable(),
      session: sessionShape,
      seq: z.number().int(),
    }),
  },
  getQueue: {
    method: "GET",
    path: "/api/sessions/:sessionId/queue",
    summary: "Messages that wait for their turn, in order",
    access: "read",
    reply: z.object({ queue: z.array(queuedShape) }),
  },
  editQueued: {
    method: "PATCH",
    path: "/api/sessions/:sessionId/queue/:messageId",
    summary: "Change a waiting message",
    access: "write",
    body: z.strictObject({ content }),
    reply: z.object({ queue: z.array(queuedShape) }),
  },
  removeQueued: {
    method: "DELETE",
    path: "/api/sessions/:sessionId/queue/:messageId",
    summary: "Take a waiting message back",
    access: "write",
    reply: z.object({ queue: z.array(queuedShape) }),
  },
  releaseQueue: {
    method: "POST",
    path: "/api/sessions/:sessionId/queue/release",
    summary: "Let a parked queue go on",
    access: "write",
    body: empty,
    status: 202,
    reply: z.object({ session: sessionShape, run: runShape.nullable() }),
  },

  followSession: {
    method: "GET",
    path: "/api/sessions/:sessionId/stream",
    summary: "Follow a session from any seq on (Server-Sent Events)",
    access: "read",
    query: z.object({ after: seq.optional(), ticket: z.string().max(200).optional() }),
    stream: "sse",
  },
  listEvents: {
    method: "GET",
    path: "/api/sessions/:sessionId/events",
    summary: "Events after a seq, as they are journalled",
    access: "read",
    query: z.object({ after: seq.default(0), limit: limit(1000, 200) }),
    reply: z.object({
      events: z.array(z.record(z.string(), z.unknown())),
      lastSeq: z.number().int(),
    }),
  },
  getTranscript: {
    method: "GET",
    path: "/api/sessions/:sessionId/transcript",
    summary: "What a client opens with: state and messages at one seq; go on with `after=seq`",
    access: "read",
    query: z.object({ tail: z.coerce.number().int().min(1).max(10_000).optional() }),
    reply: z.object({
      seq: z.number().int(),
      chain: z.number().int(),
      foldVersion: z.number().int(),
      session: sessionShape,
      state: z.record(z.string(), z.unknown()),
      messages: z.array(messageShape),
      /** Messages before the ones shown. */
      earlier: z.number().int(),
    }),
  },
  getBlob: {
    method: "GET",
    path: "/api/sessions/:sessionId/blobs/:hash",
    summary: "All of what was too long for an event, which has its beginning and this hash",
    access: "read",
    bytes: true,
  },
  listRuns: {
    method: "GET",
    path: "/api/sessions/:sessionId/runs",
    summary: "The runs of a session, the latest first",
    access: "read",
    query: z.object({ limit: limit(500, 100) }),
    reply: z.object({ runs: z.array(runShape) }),
  },
  listReceipts: {
    method: "GET",
    path: "/api/sessions/:sessionId/receipts",
    summary: "What each recovery kept, lost, or may have run twice",
    access: "read",
    reply: z.object({ receipts: z.array(receiptShape) }),
  },
  socket: {
    method: "GET",
    path: "/api/ws",
    summary: "Follow many sessions over one WebSocket",
    access: "read",
    stream: "websocket",
  },
  getStatus: {
    method: "GET",
    path: "/api/sessions/:sessionId/status",
    summary: "Whether the session runs, whether it needs a resume, and why",
    access: "read",
    reply: statusShape,
  },
  resumeSession: {
    method: "POST",
    path: "/api/sessions/:sessionId/resume",
    summary: "Bring the runtime up, and let interrupted work go on when asked to",
    access: "write",
    body: z
      .strictObject({
        mode: z.enum(["revive", "continue", "fresh"]).optional(),
        token: clearToken.optional(),
        wait: z.boolean().optional(),
      })
      .default({}),
    goesOn: true,
    reply: z.object({ session: sessionShape, resume: resumeShape.nullable() }),
  },
  pauseSession: {
    method: "POST",
    path: "/api/sessions/:sessionId/pause",
    summary: "Stop the runtime until the session is wanted again",
    access: "write",
    body: empty,
    reply: session,
  },
  endSession: {
    method: "POST",
    path: "/api/sessions/:sessionId/end",
    summary: "End a session for good",
    access: "write",
    body: empty,
    reply: session,
  },
  listRules: {
    method: "GET",
    path: "/api/sessions/:sessionId/rules",
    summary: "What may run without asking",
    access: "read",
    reply: z.object({ rules: z.array(ruleShape) }),
  },
  revokeRule: {
    method: "DELETE",
    path: "/api/sessions/:sessionId/rules/:ruleId",
    summary: "Ask again from now on",
    access: "write",
    reply: z.object({ rules: z.array(ruleShape) }),
  },
  breakSession: {
    method: "POST",
    path: "/api/sessions/:sessionId/break",
    summary: "Kill the host, the holder or the agent of a demo session, to watch it come back",
    access: "admin",
    body: z.strictObject({ what: z.enum(["host", "holder", "agent"]) }),
    status: 202,
    reply: z.object({ success: z.boolean() }),
  },

  getRun: {
    method: "GET",
    path: "/api/runs/:runId",
    summary: "One run, with what it said so far",
    access: "read",
    reply: z.object({ run: runShape }),
  },
  followRun: {
    method: "GET",
    path: "/api/runs/:runId/stream",
    summary: "Follow one run, from its first event when `after` is absent, to its outcome",
    access: "read",
    query: z.object({ after: seq.optional(), ticket: z.string().max(200).optional() }),
    stream: "sse",
  },
  cancelRun: {
    method: "POST",
    path: "/api/runs/:runId/cancel",
    summary: "Stop a run; the first cancel wins",
    access: "write",
    body: empty,
    reply: run,
  },
  resumeRun: {
    method: "POST",
    path: "/api/runs/:runId/resume",
    summary: "Let a waiting or paused run go on, by its token or as its owner",
    access: "write",
    orToken: true,
    body: z
      .strictObject({
        token: clearToken.optional(),
        waitId: z.string().max(100).optional(),
        kind: z.enum(["human", "tool_result", "external"]).optional(),
        key: clientId.optional(),
        result: json.optional(),
      })
      .default({}),
    reply: run,
  },
  retryRun: {
    method: "POST",
    path: "/api/runs/:runId/retry",
    summary: "Again from the start, or on from the error: always a new run",
    access: "write",
    body: z
      .strictObject({ from: z.enum(["start", "error"]).default("start") })
      .default({ from: "start" }),
    status: 202,
    reply: run,
  },
  dismissRun: {
    method: "POST",
    path: "/api/runs/:runId/dismiss",
    summary: "Leave interrupted work as it is",
    access: "write",
    body: empty,
    reply: run,
  },
  mintToken: {
    method: "POST",
    path: "/api/runs/:runId/token",
    summary: "A fresh resume token for the run's open wait; the old one is revoked",
    access: "write",
    body: z
      .strictObject({
        waitId: z.string().max(100).optional(),
        expiresAt: z.iso.datetime().nullable().optional(),
      })
      .default({}),
    status: 201,
    reply: z.object({ token: z.string(), tokenId: z.string() }),
  },
  decideApproval: {
    method: "POST",
    path: "/api/runs/:runId/approvals/:approvalId",
    summary: "Answer a question; the first answer wins and every caller is told which one stands",
    access: "write",
    orToken: true,
    body: z.strictObject({
      decision: z.enum([...decisions, "approve"]),
      reason: z.string().max(4096).optional(),
      digest: z.string().max(200).optional(),
      token: clearToken.optional(),
      key: clientId.optional(),
      pattern: z.string().min(1).max(16_384).optional(),
      scope: z.enum(["session", "run"]).optional(),
    }),
    reply: z.object({ success: z.boolean(), approval: approvalShape }),
  },

  listAgents: {
    method: "GET",
    path: "/api/agents",
    summary: "Agents this host knows, and what is missing",
    access: "read",
    reply: z.object({ agents: z.array(agentShape) }),
  },
  checkAgent: {
    method: "POST",
    path: "/api/agents/check",
    summary: "Start an agent to see what is really there, and end it",
    access: "admin",
    wholeHost: true,
    body: z.strictObject({ agent: name }),
    reply: z.object({ check: agentCheckShape }),
  },
} as const satisfies Record<string, RouteSpec>;

export type RouteName = keyof typeof table;
export type Routes = typeof table;
export const routes: Routes = table;

type Names<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

/** The words in its path, by name. */
export type RouteParams<N extends RouteName> = {
  readonly [K in Names<Routes[N]["path"]>]: string;
};
type Input<N extends RouteName, F extends "body" | "query"> = Routes[N] extends {
  readonly [K in F]: infer S extends z.ZodType;
}
  ? z.input<S>
  : undefined;
type Parsed<N extends RouteName, F extends "body" | "query"> = Routes[N] extends {
  readonly [K in F]: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;

/** What a caller passes, and what a handler gets after parsing. */
export type RouteBody<N extends RouteName> = Input<N, "body">;
export type RouteQuery<N extends RouteName> = Input<N, "query">;
export type ParsedBody<N extends RouteName> = Parsed<N, "body">;
export type ParsedQuery<N extends RouteName> = Parsed<N, "query">;
export type RouteReply<N extends RouteName> = Routes[N] extends {
  readonly reply: infer S extends z.ZodType;
}
  ? z.output<S>
  : Routes[N] extends { readonly bytes: true }
    ? Uint8Array
    : never;
