/**
 * What an agent is told that was cut off in the middle of its work (R000-44 to R000-49): what the
 * workspace really looks like, what it had said, what became of its calls and questions, and what
 * it was asked to do.
 */

import type { Carried, CutOff } from "../../agents/agent.ts";
import type { WorkspaceTruth } from "./workspace-truth.ts";

export interface Interrupted extends CutOff {
  readonly truth: WorkspaceTruth | null;
  readonly carried: readonly Carried[];
  readonly results: readonly unknown[];
  readonly request: string;
}

export function reconciliation(interrupted: Interrupted): string {
  const { round, partial, unknownCalls, carried, results, coderState, request } = interrupted;
  return [
    "[SESSION_RESUMED]",
    `The session was interrupted during round ${round}.`,
    "",
    ...sandboxState(interrupted.truth),
    ...(coderState === null ? [] : ["", "Last known Coder state:", coderState]),
    ...(partial.trim() === ""
      ? []
      : ["", "Your response up to there (may be incomplete):", "---", partial, "---"]),
    ...(unknownCalls.length === 0 ? [] : ["", ...unknownCalls.map(unknownCall)]),
    ...(carried.length === 0 ? [] : ["", ...carried.map(answered)]),
    ...results.map((result) => `A result you waited for has come: ${JSON.stringify(result)}`),
    "",
    "The request you were working on:",
    "---",
    request,
    "---",
    "",
    "Continue from this state. If the interrupted action completed (check the sandbox state), go on",
    "to the next step. If it did not, re-attempt it. Do not repeat work that is already reflected in",
    "the sandbox.",
  ].join("\n");
}

function sandboxState(truth: WorkspaceTruth | null): string[] {
  if (truth === null) {
    return ["Sandbox state at recovery: not known; look at the workspace before you change it."];
  }
  const { head, dirty, diffStat } = truth;
  return [
    "Sandbox state at recovery:",
    `HEAD: ${head ?? "none"}`,
    `Dirty files: ${dirty.length === 0 ? "clean" : dirty.join(", ")}`,
    `Diff summary: ${diffStat === "" ? "none" : diffStat}`,
  ];
}

function unknownCall({ toolCallId, name }: { toolCallId: string; name: string }): string {
  return `Whether your call of ${name} (${toolCallId}) took effect is not known; look before you repeat it.`;
}

function answered({ toolName, toolCallId, decision }: Carried): string {
  const answer = decision === "deny" ? "DENIED" : "ALLOWED";
  return `Your question about ${toolName} (call ${toolCallId}) was answered meanwhile: ${answer}.`;
}
