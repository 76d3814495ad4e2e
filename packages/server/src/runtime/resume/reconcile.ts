/** The prompt after a cut (R000-44 to R000-49): workspace, partial response, results, request. */

import type { WorkspaceLoss } from "@holdfast/protocol";
import type { Carried, CutOff } from "../../agents/agent.ts";
import { shortFileWords } from "../../workspace/short-files.ts";
import type { WorkspaceFindings } from "../../workspace/workspace-findings.ts";
import type { EarlierCutOff } from "./cut-off.ts";
import { plain } from "./words.ts";

export interface Interrupted extends CutOff {
  readonly found: WorkspaceFindings;
  readonly carried: readonly Carried[];
  readonly results: readonly unknown[];
  readonly request: string;
}

export function reconciliation(interrupted: Interrupted): string {
  const { carried, results, request } = interrupted;
  return [
    ...stateOf(interrupted),
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

/** After an interruption: describes the work, which the agent continues only on request. */
export function afterInterruption(
  earlier: EarlierCutOff,
  found: WorkspaceFindings,
  message: string,
): string {
  return [
    ...stateOf({ ...earlier, found }),
    "",
    "The request you were working on then:",
    "---",
    earlier.request,
    "---",
    ...currentRequest(message),
    "Answer the current request. Go on with the interrupted work only if it asks for that, and look",
    "at the sandbox before you repeat any of it.",
  ].join("\n");
}

/** A new message to an agent that remembers the conversation but whose files are lost. */
export function afterLoss(found: WorkspaceFindings, message: string): string {
  return [
    "[SESSION_RESUMED]",
    ...sandboxState(found),
    ...currentRequest(message),
    "Answer the current request. Look at the sandbox before you rely on any file.",
  ].join("\n");
}

/** The person's message, and the heading of the instructions that follow it. */
function currentRequest(message: string): string[] {
  return ["", "=== CURRENT REQUEST ===", "", message, "", "=== INSTRUCTIONS ===", ""];
}

function stateOf(interrupted: CutOff & { readonly found: WorkspaceFindings }): string[] {
  const { round, partial, unknownCalls, doneCalls, coderState, found } = interrupted;
  return [
    "[SESSION_RESUMED]",
    `The session was interrupted during round ${round}.`,
    "",
    ...sandboxState(found),
    ...(coderState === null ? [] : ["", "Last known Coder state:", coderState]),
    "",
    "The assistant's last partial response (may be incomplete):",
    ...["---", ...(partial.trim() === "" ? [] : [partial]), "---"],
    ...doneLines(doneCalls, found.lost),
    ...(unknownCalls.length === 0 ? [] : ["", ...unknownCalls.map(unknownCall)]),
  ];
}

/** The most calls named in one prompt (the latest), and the most characters of each input. */
const NAMED = 40;
const INPUT = 200;

function doneLines(calls: CutOff["doneCalls"], lost: WorkspaceLoss | null): string[] {
  if (calls.length === 0) return [];
  const earlier = calls.length - NAMED;
  return [
    "",
    lost === null
      ? "These calls of yours were completed before that. What they did is done; do not run them again:"
      : "These calls of yours were completed before that. What they wrote into your folder is gone with it:",
    ...(earlier > 0 ? [`- ${earlier} earlier ones`] : []),
    ...calls.slice(-NAMED).map(({ name, toolCallId, input }) => {
      const text = JSON.stringify(input);
      const given = text.length <= INPUT ? text : `${text.slice(0, INPUT).toWellFormed()}…`;
      return `- ${plain(name)} (${toolCallId}) ${given}`;
    }),
  ];
}

const lossWords: Readonly<Record<WorkspaceLoss, string>> = {
  gone: "your folder was gone, with all that was in it. A new, empty folder was made at its path.",
  emptied: "your folder is empty, although it had contained files before.",
};

export function sandboxState({ truth, short, lost }: WorkspaceFindings): string[] {
  if (lost !== null) {
    return [
      `Sandbox state at recovery: ${lossWords[lost]}`,
      "Nothing that you wrote there before is there now.",
    ];
  }
  const files = short.map((file) => `Less than you wrote: ${shortFileWords(file)}.`);
  if (truth === null) {
    return [
      "Sandbox state at recovery: not known; look at the workspace before you change it.",
      ...files,
    ];
  }
  const { head, dirty, diffStat } = truth;
  return [
    "Sandbox state at recovery:",
    `HEAD: ${head ?? "none"}`,
    `Dirty files: ${dirty.length === 0 ? "clean" : dirty.join(", ")}`,
    `Diff summary: ${diffStat === "" ? "none" : diffStat}`,
    ...files,
  ];
}

function unknownCall({ toolCallId, name }: { toolCallId: string; name: string }): string {
  return `Whether your call of ${name} (${toolCallId}) took effect is not known; look before you repeat it.`;
}

function answered({ toolName, toolCallId, decision, reason }: Carried): string {
  const answer = decision === "deny" ? "DENIED" : "ALLOWED";
  const because = reason === null ? "" : ` The person's reason: ${reason}`;
  return `Your question about ${toolName} (call ${toolCallId}) was answered meanwhile: ${answer}.${because}`;
}
