/**
 * Standing rules: the host's own record of "allow always", by tool and the exact pattern that was
 * shown. The agent only receives allow-once, so that a rule can be listed and revoked here and ends
 * with the session.
 */

import {
  type ApprovalState,
  type Command,
  canonicalJson,
  type EventBody,
  HostError,
  type Json,
  type RunState,
  type SessionState,
  type StandingRule,
  stateLimits,
} from "@holdfast/protocol";
import { type Moment, rule } from "./rule.ts";
import { jsonBytes } from "./size.ts";

/** The pattern for every input of a tool; any other pattern is exactly one canonical input. */
export const ANY_INPUT = "*";

export function ruleFor(
  state: SessionState,
  run: RunState,
  toolName: string,
  input: Json,
): StandingRule | undefined {
  const canonical = canonicalJson(input);
  return state.rules.find(
    (standing) =>
      standing.toolName === toolName &&
      (standing.scope === "session" || standing.runId === run.id) &&
      (standing.pattern === ANY_INPUT || standing.pattern === canonical),
  );
}

/** The event that "allow always" adds; empty when the same rule exists. */
export function granting(
  state: SessionState,
  run: RunState,
  approval: ApprovalState,
  input: Command<"decide">,
  at: Moment,
): EventBody[] | HostError {
  const { scope } = input;
  const { toolName } = approval;
  if (!approval.exact) {
    return new HostError(
      "bad_input",
      "The agent does not say exactly what it would run, so you cannot allow it always. Allow it once, or deny it.",
    );
  }
  if (approval.inputBlob !== undefined && input.pattern !== ANY_INPUT) {
    return new HostError(
      "bad_input",
      `This input is too large for a rule. Allow it once, or give the pattern "${ANY_INPUT}".`,
    );
  }
  const exact = canonicalJson(approval.input);
  const pattern = input.pattern ?? exact;
  if (pattern !== ANY_INPUT && pattern !== exact) {
    return new HostError(
      "bad_input",
      `The pattern does not match this question. Give its input as canonical JSON, or "${ANY_INPUT}".`,
    );
  }
  const runId = scope === "run" ? run.id : null;
  const stands = state.rules.some(
    (old) => old.toolName === toolName && old.pattern === pattern && old.runId === runId,
  );
  if (stands) return [];
  const bytes = jsonBytes([...state.rules.map((old) => old.pattern), pattern]);
  if (state.rules.length >= stateLimits.rules || bytes > at.policy.ruleBytes) {
    return new HostError(
      "limit_reached",
      `This session has ${state.rules.length} rules, which is the limit. Revoke one, or allow this once.`,
    );
  }
  return [{ kind: "rule.granted", ruleId: at.newId("rule"), toolName, pattern, scope, runId }];
}

export const revokeRule = rule("revokeRule", (state, input) => {
  const found = state.rules.some((standing) => standing.id === input.ruleId);
  if (!found)
    return new HostError("rule_not_found", `Rule ${input.ruleId} does not exist any more.`);
  return [{ kind: "rule.revoked", ruleId: input.ruleId, reason: "user" }];
});
