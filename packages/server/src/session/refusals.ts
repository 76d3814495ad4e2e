/** Classifies refused writes: too late, disk full, or a failure that the run must report. */

import { HostError } from "@holdfast/protocol";

/** True when the run is over or replaced, so that the command changed no state. */
export function isLate(error: unknown): boolean {
  return error instanceof HostError && error.spec.over === "run";
}

export function isFull(error: unknown): boolean {
  return error instanceof HostError && error.code === "journal_full";
}

/** The reason of a failure; an error without a code is a bug, reported as `internal`. */
export function reasonOf(error: unknown): { code: string; message: string } {
  if (error instanceof HostError) return { code: error.code, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: message.slice(0, 1000).toWellFormed() };
}
