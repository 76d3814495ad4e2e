/** Translates every error that is thrown during a request into problem+json. */

import { HostError } from "@holdfast/protocol";
import { problemResponse } from "../../access/problem.ts";

/** The answer for unexpected errors: stacks and paths stay in the host's log. */
const unexpected = new HostError(
  "internal",
  "Something went wrong in the host. See the output of the host for the cause.",
);

export function isUnexpected(error: unknown): boolean {
  return !(error instanceof HostError) || error.code === "internal";
}

export function refusal(error: unknown): Response {
  return problemResponse(error instanceof HostError && !isUnexpected(error) ? error : unexpected);
}
