import { isLate } from "../../session/refusals.ts";

/** Turns "the run is over" into false; rethrows any other error. */
export function falseWhenRunEnded(error: unknown): false {
  if (isLate(error)) return false;
  throw error;
}
