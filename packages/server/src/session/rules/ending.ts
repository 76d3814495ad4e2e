/**
 * Events that every end of a run has in common: tokens of open waits are revoked, unanswered
 * questions are withdrawn, and open tool calls are closed as not started or unknown, never as done.
 * Afterwards each call has exactly one result, so the next model request is well formed.
 */

import {
  type ApprovalState,
  type EventBody,
  type EventOf,
  isStop,
  type OpenTool,
  type RunState,
} from "@holdfast/protocol";

export function closing(run: RunState, why: string): EventBody[] {
  return [...closingWaits(run, why), ...closingTools(run)];
}

function closingWaits(run: RunState, why: string): EventBody[] {
  return [
    ...run.waits.flatMap((wait): EventBody[] =>
      wait.token?.status === "active"
        ? [{ kind: "token.revoked", runId: run.id, tokenId: wait.token.id, reason: why }]
        : [],
    ),
    ...run.approvals
      .filter((approval) => approval.decision === null && !approval.withdrawn)
      .map(
        (approval): EventBody => ({
          kind: "approval.withdrawn",
          runId: run.id,
          approvalId: approval.id,
          reason: why,
        }),
      ),
  ];
}

export function closingTools(run: RunState): EventBody[] {
  return run.openTools.map((tool): EventBody => {
    const { id: toolCallId, attempt } = tool;
    const end = endOf(run, tool);
    return { kind: "tool.finished", runId: run.id, attempt, toolCallId, ...end, synthetic: true };
  });
}

/** A call whose permission was refused or not delivered has not run; any other may have. */
function endOf(run: RunState, tool: OpenTool): Pick<EventOf<"tool.finished">, "status" | "output"> {
  const asked = run.approvals.findLast(
    (approval) => approval.toolCallId === tool.id && approval.attempt === tool.attempt,
  );
  if (asked === undefined || (asked.delivered && asked.decision !== "deny")) {
    const output =
      "Interrupted; the outcome of this call is unknown. Look at the workspace before repeating it.";
    return { status: "unknown", output };
  }
  return { status: "not_started", output: `${whyNotStarted(asked)} This call did not run.` };
}

function whyNotStarted({ decision, reason }: ApprovalState): string {
  if (decision === null) return "The question was not answered.";
  if (decision !== "deny") return "Allowed, but the agent stopped before it got the answer.";
  return isStop(reason) ? "The run was stopped." : "Denied.";
}

/** Closes the questions and waits of an attempt that ended while its run goes on. */
export function closingQuestions(run: RunState, why: string): EventBody[] {
  return [
    ...closingWaits(run, why),
    ...run.waits.map(
      (wait): EventBody => ({ kind: "run.resumed", runId: run.id, waitId: wait.id, by: why }),
    ),
  ];
}
