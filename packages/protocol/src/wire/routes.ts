/** The whole HTTP surface as one table: handlers, client and OpenAPI are made from it. */

import { z } from "zod";
import { MAX_CONTENT } from "../commands.ts";
import { json } from "../json.ts";
import { messageShape } from "../transcript/shapes.ts";
import { decisions, type Scope, scopes, statuses } from "../vocabulary.ts";
import { paths, type RouteName, type RoutePath } from "./paths.ts";
import {
  agentCheckShape,
  agentShape,
  approvalShape,
  deviceShape,
  eventShape,
  keyShape,
  listedReceiptShape,
  needsShape,
  queuedShape,
  receiptShape,
  resumeShape,
  ruleShape,
  runShape,
  sessionShape,
  stateShape,
  statusShape,
} from "./shapes.ts";
import {
  workspaceDiffShape,
  workspaceFileShape,
  workspaceFolderShape,
  workspaceStatusShape,
} from "./workspace-shapes.ts";

export interface RouteSpec extends RoutePath {
  readonly summary: string;
  /** The least that a credential must allow. `public` replies hold no data. */
  readonly access: "public" | Scope;
  /** True when a resume token in the body is enough as a credential. */
  readonly orToken?: true;
  readonly query?: z.ZodObject;
  /** Strict, with every object in it: an unknown field is an error. */
  readonly body?: z.ZodType;
  readonly status?: 200 | 201 | 202 | 204;
  /** The route may answer 202 with the same reply while the work goes on. */
  readonly goesOn?: true;
  /** The shape of the reply; a stream has no single reply. */
  readonly reply?: z.ZodType;
  readonly orBytes?: true;
  /** The route reads or changes more than one tenant, so only the host's own tenant may call it. */
  readonly wholeHost?: true;
  readonly maxBody?: number;
}

export const MAX_BODY = 1024 * 1024;
/** Enough for the longest message in its widest encoding. */
const CONTENT_BODY = 8 * MAX_BODY;
/** Enough for a code and a device's name in their widest encoding. */
const LOGIN_BODY = 4096;

const session = z.object({ session: sessionShape });
const run = z.object({ success: z.boolean(), run: runShape });
const empty = z.strictObject({}).default({});
const name = z.string().trim().min(1).max(200);
const clientId = z.string().min(1).max(200);
const clearToken = z.string().min(1).max(500);
const seqNumber = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const seq = inQuery(seqNumber);
const limit = (most: number, usual: number) => inQuery(wholeNumber(1, most).default(usual));
const workspacePath = z.string().min(1).max(4096);
const content = z
  .string()
  .regex(/\S/, "is empty")
  .max(MAX_CONTENT * 8);

function wholeNumber(least: number, most: number) {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} on` : `${least} to ${most}`;
  const error = `must be a whole number, from ${range}`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}

/** Parses a number from a query, whose values are all texts. An empty text is no number. */
function inQuery<T extends z.ZodType>(number: T) {
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value),
    number,
  );
}

/** Each route without its method and path, which `paths` has. */
const table = {
  health: {
    summary: "Health of the host, with the id of this start",
    access: "public",
    reply: z.object({
      status: z.literal("ok"),
      bootId: z.string(),
      version: z.string(),
      pid: z.number().int(),
    }),
  },
  openapi: {
    summary: "This table as OpenAPI 3.1",
    access: "read",
    reply: z.record(z.string(), z.unknown()),
  },
  metrics: {
    summary: "Counters of all tenants, in the Prometheus text format",
    access: "admin",
    wholeHost: true,
    reply: z.string(),
  },
  pauseHost: {
    summary: "Pause all sessions of all tenants, before the host is stopped",
    access: "admin",
    wholeHost: true,
    body: empty,
    reply: z.object({
      paused: z.number().int(),
      failed: z.array(z.object({ session: z.string(), tenant: z.string(), reason: z.string() })),
    }),
  },

  login: {
    summary: "Exchange a one-time link's code for a device credential",
    access: "public",
    body: z.strictObject({ code: z.string().min(1).max(200), name: name.default("device") }),
    maxBody: LOGIN_BODY,
    reply: z.object({ device: deviceShape, token: z.string(), session: z.string().nullable() }),
  },
  logout: {
    summary: "Sign this device out, and everything it added; their streams end at once",
    access: "read",
    body: empty,
    reply: z.object({ success: z.boolean() }),
  },
  listDevices: {
    summary: "Signed-in devices",
    access: "read",
    reply: z.object({ devices: z.array(deviceShape) }),
  },
  revokeDevice: {
    summary: "Sign a device out, and everything it added; their streams end at once",
    access: "write",
    reply: z.object({ success: z.boolean() }),
  },
  createLink: {
    summary: "Create a one-time link that signs in one device",
    access: "write",
    body: z.strictObject({ session: z.string().optional() }).default({}),
    status: 201,
    reply: z.object({
      url: z.string(),
      code: z.string(),
      expiresAt: z.string(),
      /** Tells whether other machines can open the link. */
      reach: z.enum(["this-machine", "network"]),
      otherUrls: z.array(z.string()),
    }),
  },
  listKeys: {
    summary: "API keys, without their secrets",
    access: "admin",
    reply: z.object({ keys: z.array(keyShape) }),
  },
  createKey: {
    summary: "Create an API key; its secret is returned only once",
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
    summary: "Revoke an API key, and everything it added; their streams end at once",
    access: "admin",
    reply: z.object({ success: z.boolean() }),
  },
  createTicket: {
    summary: "A ticket for one EventSource connection within 30 seconds",
    access: "read",
    body: empty,
    status: 201,
    reply: z.object({ ticket: z.string(), expiresAt: z.string() }),
  },

  createSession: {
    summary: "Start a session, with or without a first message",
    access: "write",
    body: z.strictObject({
      agent: name,
      title: z.string().trim().min(1).max(500).optional(),
      workspace: z
        .strictObject({
          /** A new directory of the session's own, or an existing one. */
          kind: z.enum(["empty", "in-place"]),
          path: z.string().min(1).max(4096).nullable().default(null),
        })
        .optional(),
      model: name.optional(),
      policy: z.record(z.string(), json).optional(),
      message: content.optional(),
      clientId: clientId.optional(),
    }),
    maxBody: CONTENT_BODY,
    status: 201,
    reply: z.object({ session: sessionShape, run: runShape.nullable() }),
  },
  listSessions: {
    summary:
      "List sessions: first those that wait, were interrupted or failed, then the rest; the latest first in each group",
    access: "read",
    query: z.object({
      status: z.enum(statuses).optional(),
      q: z.string().max(200).optional(),
      cursor: z.string().max(500).optional(),
      limit: limit(200, 50),
    }),
    reply: z.object({
      sessions: z.array(sessionShape),
      cursor: z.string().nullable(),
      /** Counts of all sessions that need a person, whatever the filter and the page. */
      needs: needsShape,
    }),
  },
  getSession: {
    summary: "One session",
    access: "read",
    reply: session,
  },
  updateSession: {
    summary: "Rename a session, or change its policy",
    access: "write",
    body: z.strictObject({
      title: z.string().trim().min(1).max(500).optional(),
      policy: z.record(z.string(), json).optional(),
    }),
    reply: session,
  },
  deleteSession: {
    summary: "End a session and leave it out of lists; its data is removed after a while",
    access: "write",
    reply: session,
  },
  sendMessage: {
    summary: "Send a message: it starts a run, or is queued while a run is in progress",
    access: "write",
    body: z.strictObject({
      content,
      clientId: clientId.optional(),
      model: name.optional(),
      whenBusy: z.enum(["queue", "interrupt"]).optional(),
    }),
    maxBody: CONTENT_BODY,
    status: 202,
    reply: z.object({
      run: runShape.nullable(),
      queued: queuedShape.nullable(),
      session: sessionShape,
      seq: z.number().int(),
    }),
  },
  getQueue: {
    summary: "Queued messages, in order; for an ended session, those that were never sent",
    access: "read",
    reply: z.object({ queue: z.array(queuedShape) }),
  },
  editQueued: {
    summary: "Change a queued message",
    access: "write",
    body: z.strictObject({ content }),
    maxBody: CONTENT_BODY,
    reply: z.object({ queue: z.array(queuedShape) }),
  },
  removeQueued: {
    summary: "Remove a queued message",
    access: "write",
    reply: z.object({ queue: z.array(queuedShape) }),
  },
  releaseQueue: {
    summary: "Send queued messages that wait after a cancelled or interrupted run",
    access: "write",
    body: empty,
    status: 202,
    reply: z.object({ session: sessionShape, run: runShape.nullable() }),
  },

  followSession: {
    summary: "Follow a session from any seq (Server-Sent Events)",
    access: "read",
    query: z.object({ after: seq.optional(), ticket: z.string().max(200).optional() }),
  },
  listEvents: {
    summary:
      "Events after a seq: at most `limit`, or 2 MB. If `next` is a seq, send it as `after` to get more",
    access: "read",
    query: z.object({ after: inQuery(seqNumber.default(0)), limit: limit(1000, 200) }),
    reply: z.object({
      events: z.array(eventShape),
      lastSeq: z.number().int(),
      next: z.number().int().nullable(),
    }),
  },
  getTranscript: {
    summary: "State and messages at one seq; to continue, follow with `after=seq`",
    access: "read",
    query: z.object({ tail: inQuery(wholeNumber(1, 10_000)).optional() }),
    reply: z.object({
      seq: z.number().int(),
      chain: z.number().int(),
      foldVersion: z.number().int(),
      session: sessionShape,
      state: stateShape,
      messages: z.array(messageShape),
      earlier: z.number().int(),
      /** Receipts since the first message shown. */
      receipts: z.array(receiptShape),
    }),
  },
  getBlob: {
    summary: "A text that was too long for its event, which has the beginning and this hash",
    access: "read",
  },
  listRuns: {
    summary: "The runs of a session, the latest first",
    access: "read",
    query: z.object({ limit: limit(500, 100) }),
    reply: z.object({ runs: z.array(runShape) }),
  },
  listReceipts: {
    summary: "Receipts: what each recovery kept, lost, or may have run twice",
    access: "read",
    reply: z.object({ receipts: z.array(listedReceiptShape) }),
  },
  socket: {
    summary: "Follow many sessions over one WebSocket",
    access: "read",
  },
  getStatus: {
    summary: "Status of a session: is it running, does it need a resume, and why",
    access: "read",
    reply: statusShape,
  },
  resumeSession: {
    summary: "Restart the agent, and continue interrupted work if requested",
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
    summary: "Stop the agent until the next message or resume",
    access: "write",
    body: empty,
    reply: session,
  },
  endSession: {
    summary: "End a session for good; queued messages are never sent, and stay in its queue",
    access: "write",
    body: empty,
    reply: session,
  },
  getWorkspaceStatus: {
    summary: "Branch and HEAD of the workspace, and files that differ from HEAD",
    access: "read",
    reply: workspaceStatusShape,
  },
  getWorkspaceDiff: {
    summary: "Changes since HEAD, file by file, with untracked files; or in one path",
    access: "read",
    query: z.object({ path: workspacePath.optional() }),
    reply: workspaceDiffShape,
  },
  listFiles: {
    summary: "Files and folders at the top of the workspace",
    access: "read",
    reply: workspaceFolderShape,
  },
  readFile: {
    summary: "A folder's entries, or a file: as text, or with `?raw` as bytes",
    access: "read",
    query: z.object({ raw: z.enum(["", "1", "true"]).optional() }),
    reply: z.discriminatedUnion("kind", [workspaceFolderShape, workspaceFileShape]),
    orBytes: true,
  },
  listRules: {
    summary: "Rules: what may run without asking",
    access: "read",
    reply: z.object({ rules: z.array(ruleShape) }),
  },
  revokeRule: {
    summary: "Revoke a rule; the agent asks again",
    access: "write",
    reply: z.object({ rules: z.array(ruleShape) }),
  },
  breakSession: {
    summary: "Kill the host, the holder or the agent of a demo session, to see it recover",
    access: "admin",
    wholeHost: true,
    body: z.strictObject({ what: z.enum(["host", "holder", "agent"]) }),
    status: 202,
    reply: z.object({ success: z.boolean() }),
  },

  getRun: {
    summary: "One run, with its output so far",
    access: "read",
    reply: z.object({ run: runShape }),
  },
  followRun: {
    summary: "Follow one run, from its first event when `after` is absent, to its outcome",
    access: "read",
    query: z.object({ after: seq.optional(), ticket: z.string().max(200).optional() }),
  },
  cancelRun: {
    summary: "Stop a run; the first cancel wins",
    access: "write",
    body: empty,
    /** Followers that have reached `seq` have seen the cancel. */
    reply: run.extend({ seq: z.number().int() }),
  },
  resumeRun: {
    summary: "Continue a waiting or paused run, with its token or as its owner",
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
    summary: "Retry from the start, or continue from the error; always a new run",
    access: "write",
    body: z
      .strictObject({ from: z.enum(["start", "error"]).default("start") })
      .default({ from: "start" }),
    status: 202,
    reply: run,
  },
  dismissRun: {
    summary: "Dismiss interrupted or failed work; the session then needs no one",
    access: "write",
    body: empty,
    reply: run,
  },
  mintToken: {
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
    summary: "Answer a question; the first answer wins, and every caller gets it",
    access: "write",
    orToken: true,
    body: z.strictObject({
      decision: z.enum([...decisions, "approve"]),
      /** Kept with the answer. ACP has no field for it: only agents that read `_meta` are told. */
      reason: z.string().max(4096).optional(),
      /** One of the approval's `options`, by its id; its kind must fit the decision. */
      option: z.string().max(200).optional(),
      digest: z.string().max(200).optional(),
      token: clearToken.optional(),
      key: clientId.optional(),
      pattern: z.string().min(1).max(16_384).optional(),
      scope: z.enum(["session", "run"]).optional(),
    }),
    /** Followers that have reached `seq` have seen the answer that stands. */
    reply: z.object({
      success: z.boolean(),
      approval: approvalShape,
      seq: z.number().int(),
    }),
  },

  getHost: {
    summary: "The command that reaches this host from a terminal on its machine",
    access: "read",
    wholeHost: true,
    /** A shell line that the words of a CLI command follow: `holdfast --data DIR`. */
    reply: z.object({ command: z.string() }),
  },
  listAgents: {
    summary: "Agents that this host knows, and how to install missing ones",
    access: "read",
    reply: z.object({ agents: z.array(agentShape) }),
  },
  checkAgent: {
    summary: "Start an agent to report what it can do, then stop it",
    access: "admin",
    wholeHost: true,
    body: z.strictObject({ agent: name }),
    reply: z.object({ check: agentCheckShape }),
  },
} as const satisfies Record<RouteName, Omit<RouteSpec, keyof RoutePath>>;

export type Routes = { readonly [N in RouteName]: (typeof paths)[N] & (typeof table)[N] };
export const routes = Object.fromEntries(
  (Object.keys(table) as RouteName[]).map((name) => [name, { ...paths[name], ...table[name] }]),
) as unknown as Routes;

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

/** Input types of a route: as a caller passes them, and as a handler gets them after parsing. */
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
