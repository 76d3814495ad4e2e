/** Three ways a call can fail, as three classes: the host said no, nobody answered, or it made no sense. */

import { type ErrorCode, errorStatus } from "@holdfast/protocol";

/** The host answered, and its answer is no. `code` is stable; the message says what to do next. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Asking again may help: the host is busy, full or on its way down. Damage does not pass. */
  get isPassing(): boolean {
    const { status, code } = this;
    return code !== "session_damaged" && (status >= 500 || status === 408 || status === 429);
  }
}

/** Nobody answered. What was asked may or may not have happened. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** The stream held something that cannot be, twice at the same place. */
export class StreamError extends Error {
  override readonly name = "StreamError";
  readonly code = "stream_broken";
}

/** An error reply. Whoever stands between us and the host may answer with something else than JSON. */
export async function apiError(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => null);
  return problemError(body, response.status);
}

/** From problem+json, or from a stream's `error` frame, whose status follows from its code. */
export function problemError(body: unknown, status?: number): ApiError {
  const problem =
    typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const code = isText(problem.code) ? problem.code : "unknown";
  const known = Object.hasOwn(errorStatus, code) ? errorStatus[code as ErrorCode] : undefined;
  const said = [problem.detail, problem.error, problem.message, problem.title].find(isText);
  const found = status ?? known ?? 500;
  return new ApiError(
    found,
    code,
    said ?? `The answer was HTTP status ${found}, without a reason.`,
  );
}

/** `fetch` says little on top and the truth in `cause`. */
export function transportError(error: unknown, url: string): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const said = cause instanceof Error ? codeOf(cause) || cause.message : String(cause);
  return new TransportError(`${url} did not answer (${said}).`, { cause: error });
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
