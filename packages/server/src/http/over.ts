import { HostError } from "@holdfast/protocol";

/** The run has its outcome, or a later one took its place: someone was faster, and nothing was changed. */
export function isOver(error: unknown): boolean {
  return error instanceof HostError && ["not_open", "run_not_found"].includes(error.code);
}

/** False for whoever came too late; any other failure is one. */
export function falseWhenOver(error: unknown): false {
  if (isOver(error)) return false;
  throw error;
}
