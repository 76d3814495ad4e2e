/** The one translator of errors: whatever is thrown on the way to an answer becomes problem+json here. */

import { HostError } from "@holdfast/protocol";
import { problemResponse } from "../access/problem.ts";

/** Told to nobody but the host's own log: a stack or a path is no client's business. */
const unexpected = new HostError(
  "internal",
  "Something went wrong in the host. Its log says what.",
);

export function isUnexpected(error: unknown): boolean {
  return !(error instanceof HostError) || error.code === "internal";
}

export function refusal(error: unknown): Response {
  return problemResponse(error instanceof HostError && !isUnexpected(error) ? error : unexpected);
}
