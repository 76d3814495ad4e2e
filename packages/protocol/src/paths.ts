/** Method and path of each route, for callers that do without the schemas. */

export interface RoutePath {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  /** The route answers with raw bytes, which a browser must not render as a page. */
  readonly bytes?: true;
  readonly stream?: "sse" | "websocket";
}

const table = {
  health: { method: "GET", path: "/health" },
  openapi: { method: "GET", path: "/openapi.json" },
  metrics: { method: "GET", path: "/metrics" },
  pauseHost: { method: "POST", path: "/api/pause" },
  getHost: { method: "GET", path: "/api/host" },
  login: { method: "POST", path: "/api/login" },
  logout: { method: "POST", path: "/api/logout" },
  listDevices: { method: "GET", path: "/api/devices" },
  revokeDevice: { method: "DELETE", path: "/api/devices/:deviceId" },
  createLink: { method: "POST", path: "/api/links" },
  listKeys: { method: "GET", path: "/api/keys" },
  createKey: { method: "POST", path: "/api/keys" },
  revokeKey: { method: "DELETE", path: "/api/keys/:keyId" },
  createTicket: { method: "POST", path: "/api/tickets" },
  createSession: { method: "POST", path: "/api/sessions" },
  listSessions: { method: "GET", path: "/api/sessions" },
  getSession: { method: "GET", path: "/api/sessions/:sessionId" },
  updateSession: { method: "PATCH", path: "/api/sessions/:sessionId" },
  deleteSession: { method: "DELETE", path: "/api/sessions/:sessionId" },
  sendMessage: { method: "POST", path: "/api/sessions/:sessionId/messages" },
  getQueue: { method: "GET", path: "/api/sessions/:sessionId/queue" },
  editQueued: { method: "PATCH", path: "/api/sessions/:sessionId/queue/:messageId" },
  removeQueued: { method: "DELETE", path: "/api/sessions/:sessionId/queue/:messageId" },
  releaseQueue: { method: "POST", path: "/api/sessions/:sessionId/queue/release" },
  followSession: { method: "GET", path: "/api/sessions/:sessionId/stream", stream: "sse" },
  listEvents: { method: "GET", path: "/api/sessions/:sessionId/events" },
  getTranscript: { method: "GET", path: "/api/sessions/:sessionId/transcript" },
  getBlob: { method: "GET", path: "/api/sessions/:sessionId/blobs/:hash", bytes: true },
  listRuns: { method: "GET", path: "/api/sessions/:sessionId/runs" },
  listReceipts: { method: "GET", path: "/api/sessions/:sessionId/receipts" },
  socket: { method: "GET", path: "/api/ws", stream: "websocket" },
  getStatus: { method: "GET", path: "/api/sessions/:sessionId/status" },
  resumeSession: { method: "POST", path: "/api/sessions/:sessionId/resume" },
  pauseSession: { method: "POST", path: "/api/sessions/:sessionId/pause" },
  endSession: { method: "POST", path: "/api/sessions/:sessionId/end" },
  getWorkspaceStatus: { method: "GET", path: "/api/sessions/:sessionId/workspace/status" },
  getWorkspaceDiff: { method: "GET", path: "/api/sessions/:sessionId/workspace/diff" },
  listFiles: { method: "GET", path: "/api/sessions/:sessionId/workspace/files" },
  readFile: { method: "GET", path: "/api/sessions/:sessionId/workspace/files/:path{[^]+}" },
  listRules: { method: "GET", path: "/api/sessions/:sessionId/rules" },
  revokeRule: { method: "DELETE", path: "/api/sessions/:sessionId/rules/:ruleId" },
  breakSession: { method: "POST", path: "/api/sessions/:sessionId/break" },
  getRun: { method: "GET", path: "/api/runs/:runId" },
  followRun: { method: "GET", path: "/api/runs/:runId/stream", stream: "sse" },
  cancelRun: { method: "POST", path: "/api/runs/:runId/cancel" },
  resumeRun: { method: "POST", path: "/api/runs/:runId/resume" },
  retryRun: { method: "POST", path: "/api/runs/:runId/retry" },
  dismissRun: { method: "POST", path: "/api/runs/:runId/dismiss" },
  mintToken: { method: "POST", path: "/api/runs/:runId/token" },
  decideApproval: { method: "POST", path: "/api/runs/:runId/approvals/:approvalId" },
  listAgents: { method: "GET", path: "/api/agents" },
  checkAgent: { method: "POST", path: "/api/agents/check" },
} as const satisfies Record<string, RoutePath>;

export type RouteName = keyof typeof table;
export const paths: typeof table = table;

/** Parameters in a path; one that ends in `{[^]+}` matches any characters, slashes too. */
export const pathWords = /:(\w+)(\{\[\^\]\+\})?/g;

type Names<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : P extends `${string}:${infer Name}{[^]+}`
    ? Name
    : P extends `${string}:${infer Name}`
      ? Name
      : never;

/** The path parameters of a route, by name. */
export type RouteParams<N extends RouteName> = {
  readonly [K in Names<(typeof table)[N]["path"]>]: string;
};
