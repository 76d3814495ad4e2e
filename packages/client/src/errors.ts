/** The three errors of a call: the host refused, there was no answer, or the stream was invalid. */

import { errorSpec, type FieldProblem } from "@holdfast/protocol";
import { isObject } from "./wire.ts";

/** The host refused. `code` is stable; the message says what to do next. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  /** The request field that the refusal is about; null when it is about no single field. */
  readonly field: FieldProblem | null;

  constructor(status: number, code: string, message: string, field: FieldProblem | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }

  /** True when a retry may help. A proxy, or a newer host, has codes outside the table. */
  get mayRetry(): boolean {
    const { status, code } = this;
    return errorSpec(code)?.retry ?? (status >= 500 || status === 408 || status === 429);
  }
}

/** No answer arrived. The request may or may not have been executed. */
export class TransportError extends Error {
  override readonly name = "TransportError";
}

/** The stream was invalid twice at the same seq. */
export class StreamError extends Error {
  override readonly name = "StreamError";
  readonly code = "stream_broken";
}

/** The error of a reply. A proxy in between may answer with something other than JSON. */
export async function apiError(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => null);
  return problemError(body, response.status);
}

/** From problem+json, or from a stream's `error` frame, whose status follows from its code. */
export function problemError(body: unknown, status?: number): ApiError {
  const problem = isObject(body) ? body : {};
  const code = isText(problem.code) ? problem.code : "unknown";
  const said = [problem.detail, problem.error, problem.message, problem.title].find(isText);
  const found = status ?? errorSpec(code)?.status ?? 500;
  return new ApiError(
    found,
    code,
    said ?? `The host answered with HTTP status ${found} and no explanation.`,
    fieldOf(problem.field),
  );
}

function fieldOf(value: unknown): FieldProblem | null {
  if (!isObject(value)) return null;
  const { path, reason } = value;
  return isText(path) && isText(reason) ? { path, reason } : null;
}

/** The message of `fetch` is generic; the real reason is in `cause`. */
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
