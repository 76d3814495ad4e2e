import { ApiError, TransportError } from "@holdfast/client";
import { refusalWords } from "@holdfast/protocol";

/** The request field that the error is about; null when it is about no single field. */
export function problemField(error: unknown): string | null {
  return error instanceof ApiError ? (error.field?.path ?? null) : null;
}

/** Null if the path may be valid: only the host knows what is there. */
export function pathProblem(path: string): string | null {
  if (path === "" || path.startsWith("/")) return null;
  return "Not an absolute path: it must begin with /, as in /home/you/project.";
}

export function problemWords(error: unknown): string {
  if (error instanceof TransportError)
    return "The host did not answer. Try again when it is online.";
  if (error instanceof ApiError) return refusalWords(error);
  return error instanceof Error ? error.message : String(error);
}
