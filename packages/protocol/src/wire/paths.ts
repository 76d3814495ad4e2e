/** Method and path of each route, for callers that do without the schemas. */

export interface RoutePath {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  /** The route answers with raw bytes, which a browser must not render as a page. */
  readonly bytes?: true;
  readonly stream?: "sse" | "websocket";
  /**
   * True when a call without an answer may be sent again: the route only reads, the host recognises
   * the request by its key or the client's message id, or the second call finds the work done and
   * says so. A secret that was created and lost on the way must not be created twice unnoticed.
   */
  readonly repeat: boolean;
}

const table = {
  health: { method: "GET", path: "/health", repeat: true },
  openapi: { method: "GET", path: "/openapi.json", repeat: true },
  metrics: { method: "GET", path: "/metrics", repeat: true },
  pauseHost: { method: "POST", path: "/api/pause", repeat: true },
  getHost: { method: "GET", path: "/api/host", repeat: true },
  login: { method: "POST", path: "/api/login", repeat: false },
  logout: { method: "POST", path: "/api/logout", repeat: false },
  listDevices: { method: "GET", path: "/api/devices", repeat: true },
  revokeDevice: { method: "DELETE", path: "/api/devices/:deviceId", repeat: false },
  createLink: { method: "POST", path: "/api/links", repeat: false },
  listKeys: { method: "GET", path: "/api/keys", repeat: true },
  createKey: { method: "POST", path: "/api/keys", repeat: false },
  revokeKey: { method: "DELETE", path: "/api/keys/:keyId", repeat: false },
  createTicket: { method: "POST", path: "/api/tickets", repeat: false },
  createSession: { method: "POST", path: "/api/sessions", repeat: true },
  listSessions: { method: "GET", path: "/api/sessions", repeat: true },
  getSession: { method: "GET", path: "/api/sessions/:sessionId", repeat: true },
  updateSession: { method: "PATCH", path: "/api/sessions/:sessionId", repeat: false },
  deleteSession: { method: "DELETE", path: "/api/sessions/:sessionId", repeat: false },
  sendMessage: { method: "POST", path: "/api/sessions/:sessionId/messages", repeat: true },
  getQueue: { method: "GET", path: "/api/sessions/:sessionId/queue", repeat: true },
  editQueued: { method: "PATCH", path: "/api/sessions/:sessionId/queue/:messageId", repeat: false },
  removeQueued: {
    method: "DELETE",
    path: "/api/sessions/:sessionId/queue/:messageId",
    repeat: false,
  },
  releaseQueue: { method: "POST", path: "/api/sessions/:sessionId/queue/release", repeat: false },
  followSession: {
    method: "GET",
    path: "/api/sessions/:sessionId/stream",
    stream: "sse",
    repeat: true,
  },
  listEvents: { method: "GET", path: "/api/sessions/:sessionId/events", repeat: true },
  getTranscript: { method: "GET", path: "/api/sessions/:sessionId/transcript", repeat: true },
  getBlob: {
    method: "GET",
    path: "/api/sessions/:sessionId/blobs/:hash",
    bytes: true,
    repeat: true,
  },
  listRuns: { method: "GET", path: "/api/sessions/:sessionId/runs", repeat: true },
  listReceipts: { method: "GET", path: "/api/sessions/:sessionId/receipts", repeat: true },
  socket: { method: "GET", path: "/api/ws", stream: "websocket", repeat: true },
  getStatus: { method: "GET", path: "/api/sessions/:sessionId/status", repeat: true },
  resumeSession: { method: "POST", path: "/api/sessions/:sessionId/resume", repeat: true },
  pauseSession: { method: "POST", path: "/api/sessions/:sessionId/pause", repeat: true },
  endSession: { method: "POST", path: "/api/sessions/:sessionId/end", repeat: true },
  getWorkspaceStatus: {
    method: "GET",
    path: "/api/sessions/:sessionId/workspace/status",
    repeat: true,
  },
  getWorkspaceDiff: {
    method: "GET",
    path: "/api/sessions/:sessionId/workspace/diff",
    repeat: true,
  },
  listFiles: { method: "GET", path: "/api/sessions/:sessionId/workspace/files", repeat: true },
  readFile: {
    method: "GET",
    path: "/api/sessions/:sessionId/workspace/files/:path{[^]+}",
    repeat: true,
  },
  listRules: { method: "GET", path: "/api/sessions/:sessionId/rules", repeat: true },
  revokeRule: { method: "DELETE", path: "/api/sessions/:sessionId/rules/:ruleId", repeat: false },
  breakSession: { method: "POST", path: "/api/sessions/:sessionId/break", repeat: false },
  getRun: { method: "GET", path: "/api/runs/:runId", repeat: true },
  followRun: { method: "GET", path: "/api/runs/:runId/stream", stream: "sse", repeat: true },
  cancelRun: { method: "POST", path: "/api/runs/:runId/cancel", repeat: true },
  resumeRun: { method: "POST", path: "/api/runs/:runId/resume", repeat: true },
  retryRun: { method: "POST", path: "/api/runs/:runId/retry", repeat: false },
  dismissRun: { method: "POST", path: "/api/runs/:runId/dismiss", repeat: false },
  mintToken: { method: "POST", path: "/api/runs/:runId/token", repeat: false },
  decideApproval: { method: "POST", path: "/api/runs/:runId/approvals/:approvalId", repeat: true },
  listAgents: { method: "GET", path: "/api/agents", repeat: true },
  checkAgent: { method: "POST", path: "/api/agents/check", repeat: false },
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

export type RouteParams<N extends RouteName> = {
  readonly [K in Names<(typeof table)[N]["path"]>]: string;
};
