import { HostError } from "@holdfast/protocol";

/**
 * True when the run already has its outcome, or a later run has replaced it: the command changed no
 * state.
 */
export function isRunEnded(error: unknown): boolean {
  return error instanceof HostError && ["not_open", "run_not_found"].includes(error.code);
}

/** Turns "the run is over" into false; rethrows any other error. */
export function falseWhenRunEnded(error: unknown): false {
  if (isRunEnded(error)) return false;
  throw error;
}
