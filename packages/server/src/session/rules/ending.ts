/**
 * What every end of a run has in common: open waits lose their tokens, questions nobody answered are
 * withdrawn, and tool calls left open are closed as not started or unknown, never as done. After it
 * each call has exactly one result, so the next model request is well formed.
 */

import type { EventBody, OpenTool, RunState } from "@holdfast/protocol";

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
    const status = startedFor(run, tool) ? "unknown" : "not_started";
    return {
      kind: "tool.finished",
      runId: run.id,
      attempt: tool.attempt,
      toolCallId: tool.id,
      status,
      output:
        status === "unknown"
          ? "Interrupted; the outcome of this call is unknown. Look at the workspace before repeating it."
          : "Interrupted before this call was allowed to start.",
      synthetic: true,
    };
  });
}

/** A call whose permission never reached its process, or was refused, has not run; any other may have. */
function startedFor(run: RunState, tool: OpenTool): boolean {
  const asked = run.approvals.findLast(
    (approval) => approval.toolCallId === tool.id && approval.attempt === tool.attempt,
  );
  return asked === undefined || (asked.delivered && asked.decision !== "deny");
}

/** The run goes on, but whoever asked does not: its questions are over, and so are its waits. */
export function closingQuestions(run: RunState, why: string): EventBody[] {
  return [
    ...closingWaits(run, why),
    ...run.waits.map(
      (wait): EventBody => ({ kind: "run.resumed", runId: run.id, waitId: wait.id, by: why }),
    ),
  ];
}
