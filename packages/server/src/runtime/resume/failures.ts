/** Classifies an agent's errors at its start; agents use the numbers in different ways. */

import { HostError } from "@holdfast/protocol";
import { errorOf } from "../../agents/acp/acp.ts";
import { isObject } from "../../agents/acp/acp-shape.ts";
import type { RpcLine } from "../../holder/spool/frames.ts";

/** `gone`: a retry gets the same answer. `unclear`: the failure may be temporary. */
type Failure = "gone" | "login" | "unclear";

const LOGIN = -32_000;
/** Resource not found, method not found, invalid parameters. */
const definite = [-32_002, -32_601, -32_602];

export function failureOf(error: unknown): Failure {
  const code = isObject(error) ? error.code : undefined;
  if (code === LOGIN) return "login";
  return typeof code === "number" && definite.includes(code) ? "gone" : "unclear";
}

/** The error of a failed start; the agent's own session is kept. */
export function failure(what: string, { error }: RpcLine, login?: string): HostError {
  const said = error === undefined ? { code: "agent_error", message: "no reason" } : errorOf(error);
  if (failureOf(error) === "login") {
    return new HostError(
      "login_required",
      `The agent needs a login (${said.message}). Log in on the host's machine${login === undefined ? "" : ` (${login})`}, then resume the session. Nothing is lost.`,
    );
  }
  return new HostError("launch_failed", `The agent ${what}: ${said.message}`, { code: said.code });
}
