/**
 * One error class and one table of codes. A code is stable and machine-readable; the message says
 * what to do next. The HTTP status is assigned here and nowhere else.
 */

export const errorStatus = {
  bad_input: 400,
  unauthorized: 401,
  forbidden: 403,
  bad_host: 403,
  bad_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  too_many_connections: 503,
  link_invalid: 410,
  device_not_found: 404,
  key_not_found: 404,
  session_not_found: 404,
  run_not_found: 404,
  message_not_found: 404,
  approval_not_found: 404,
  rule_not_found: 404,
  wait_not_found: 404,
  session_exists: 409,
  upgrade_required: 426,
  session_ended: 410,
  session_damaged: 503,
  not_open: 409,
  not_waiting: 409,
  not_paused: 409,
  not_interrupted: 409,
  already_running: 409,
  client_id_used: 409,
  already_done: 409,
  approval_mismatch: 409,
  queue_full: 429,
  limit_reached: 429,
  cancel_pending: 409,
  late_event: 409,
  unreachable: 409,
  reviving: 409,
  agent_not_found: 404,
  agent_missing: 409,
  model_unavailable: 409,
  login_required: 409,
  workspace_missing: 409,
  path_outside: 400,
  unreadable: 409,
  repository_unreadable: 409,
  launch_failed: 502,
  token_invalid: 403,
  token_expired: 410,
  token_revoked: 410,
  token_consumed: 409,
  token_mismatch: 403,
  fenced: 409,
  seq_conflict: 409,
  cursor_conflict: 409,
  cursor_ahead: 400,
  below_retention: 410,
  journal_full: 507,
  journal_closed: 503,
  data_locked: 503,
  data_unusable: 503,
  data_too_new: 503,
  data_damaged: 503,
  data_on_network: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof errorStatus;

export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}
