/** One error class and one table of codes, the only place that says what a code means. */

interface ErrorSpec {
  readonly status: number;
  /** True if the same request may succeed later without a change by the caller. */
  readonly retry: boolean;
  /** All later writes fail too: until the host restarts (`boot`), or in this session (`session`). */
  readonly ends?: "boot" | "session";
  /** The run or the wait that the command names has ended before it. */
  readonly over?: "run" | "wait";
  readonly damage?: true;
  /** Counts as a wrong guess; a used or expired token was once valid and does not count. */
  readonly wrongSecret?: true;
  /** The request was refused before it was read, so its connection cannot be reused. */
  readonly isUnread?: true;
}

const table = {
  bad_input: { status: 400, retry: false },
  unauthorized: { status: 401, retry: false },
  forbidden: { status: 403, retry: false },
  bad_host: { status: 403, retry: false },
  bad_origin: { status: 403, retry: false },
  not_found: { status: 404, retry: false },
  method_not_allowed: { status: 405, retry: false },
  request_timeout: { status: 408, retry: true },
  too_large: { status: 413, retry: false, isUnread: true },
  unsupported_media_type: { status: 415, retry: false },
  rate_limited: { status: 429, retry: true },
  headers_too_large: { status: 431, retry: false },
  too_many_connections: { status: 503, retry: true, isUnread: true },
  link_invalid: { status: 410, retry: false, wrongSecret: true },
  device_not_found: { status: 404, retry: false },
  key_not_found: { status: 404, retry: false },
  session_not_found: { status: 404, retry: false, ends: "session" },
  run_not_found: { status: 404, retry: false, over: "run" },
  message_not_found: { status: 404, retry: false },
  approval_not_found: { status: 404, retry: false },
  rule_not_found: { status: 404, retry: false },
  session_exists: { status: 409, retry: false },
  upgrade_required: { status: 426, retry: false },
  session_ended: { status: 410, retry: false },
  session_damaged: { status: 503, retry: false, ends: "session", damage: true },
  not_open: { status: 409, retry: false, over: "run" },
  not_waiting: { status: 409, retry: false, over: "wait" },
  not_paused: { status: 409, retry: false },
  not_interrupted: { status: 409, retry: false },
  already_running: { status: 409, retry: false },
  client_id_used: { status: 409, retry: false },
  already_done: { status: 409, retry: false },
  approval_mismatch: { status: 409, retry: false },
  queue_full: { status: 429, retry: true },
  limit_reached: { status: 429, retry: true },
  cancel_pending: { status: 409, retry: false },
  late_event: { status: 409, retry: false, over: "run" },
  unreachable: { status: 409, retry: false },
  reviving: { status: 409, retry: false },
  agent_not_found: { status: 404, retry: false },
  agent_missing: { status: 409, retry: false },
  model_unavailable: { status: 409, retry: false },
  login_required: { status: 409, retry: false },
  workspace_missing: { status: 409, retry: false },
  path_outside: { status: 400, retry: false },
  unreadable: { status: 409, retry: false },
  repository_unreadable: { status: 409, retry: false },
  launch_failed: { status: 502, retry: true },
  token_invalid: { status: 403, retry: false, wrongSecret: true },
  token_expired: { status: 410, retry: false },
  token_revoked: { status: 410, retry: false },
  token_consumed: { status: 409, retry: false },
  token_mismatch: { status: 403, retry: false, wrongSecret: true },
  fenced: { status: 409, retry: false, ends: "boot" },
  seq_conflict: { status: 409, retry: false },
  cursor_conflict: { status: 409, retry: false },
  cursor_ahead: { status: 400, retry: false },
  below_retention: { status: 410, retry: false },
  journal_full: { status: 507, retry: true },
  journal_closed: { status: 503, retry: true, ends: "boot" },
  data_locked: { status: 503, retry: true },
  data_unusable: { status: 503, retry: true },
  data_too_new: { status: 503, retry: true },
  data_damaged: { status: 503, retry: false, damage: true },
  data_on_network: { status: 503, retry: true },
  internal: { status: 500, retry: true },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof table;
export const errorTable: Readonly<Record<ErrorCode, ErrorSpec>> = table;

/** The entry of a code from the wire; undefined for a code that this version does not know. */
export function errorSpec(code: string): ErrorSpec | undefined {
  return Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode] : undefined;
}

/** The request field that an error is about, such as `body.title`, and the reason: `is empty`. */
export interface FieldProblem {
  readonly path: string;
  readonly reason: string;
}

interface ErrorDetails extends Readonly<Record<string, unknown>> {
  readonly field?: FieldProblem;
}

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get spec(): ErrorSpec {
    return errorTable[this.code];
  }

  get status(): number {
    return this.spec.status;
  }
}
