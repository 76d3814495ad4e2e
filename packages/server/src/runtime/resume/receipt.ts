/** The receipt of a recovery: kept, lost and possibly repeated work, with the evidence. */

import {
  answersOfTurn,
  type CommandInput,
  count,
  type Message,
  type RunState,
  shortLine,
  type ToolPart,
  type Transcript,
  toolWords,
  workspaceLossWords,
} from "@holdfast/protocol";
import { type ShortFile, shortFileWords } from "../../workspace/short-files.ts";
import type { WorkspaceFindings } from "../../workspace/workspace-findings.ts";
import type { WorkspaceTruth } from "../../workspace/workspace-truth.ts";
import type { Beyond } from "./beyond.ts";
import { earlierCutOff } from "./cut-off.ts";
import type { Anchor } from "./journalled.ts";
import type { StartedAgent } from "./started-agent.ts";

export interface Recovered {
  readonly up: StartedAgent;
  readonly ms: number;
  readonly run: RunState | null;
  readonly transcript: Transcript;
  readonly found: WorkspaceFindings;
}

/** The most names in one receipt; the rest is counted. */
const NAMED = 20;
/** The message that a person sends, or the one that Holdfast sends to continue interrupted work. */
const AFTERWARDS = "with the first message it gets afterwards";

export function receiptOf(recovered: Recovered): CommandInput<"receipt"> {
  const { up, ms, run, transcript, found } = recovered;
  const { truth, short, lost } = found;
  const { messages } = transcript;
  const { verdict } = up;
  const twice = unknownCalls(transcript);
  const missing = verdict?.grade === "partial" ? verdict.missing : [];
  const beyond = verdict?.grade === "ahead" ? verdict.beyond : [];
  return {
    runId: run?.id ?? null,
    rung: up.rung,
    ms,
    kept: [
      conversationWords(messages.filter(({ rewound }) => !rewound)),
      ...(truth === null || lost !== null ? [] : [workspaceWords(truth)]),
      ...memoryKept(up),
      ...(beyond.length === 0
        ? []
        : [
            `what the agent did while no host was connected, as it reports: ${names(beyond.map(nameOf))}`,
          ]),
    ],
    lost: [
      ...memoryLost(up, missing),
      ...cutOffLost(up, transcript),
      ...(lost === null
        ? []
        : [`the workspace: ${workspaceLossWords[lost]}; Holdfast tells the agent ${AFTERWARDS}`]),
      // If the whole folder is lost, its files are not listed one by one.
      ...(lost === null ? short.slice(0, NAMED).map(shortLost) : []),
    ],
    maybeTwice: twice.map(callLine),
    evidence: {
      grade: up.grade,
      refused: up.refused?.reason ?? null,
      missing: missing.slice(0, NAMED).map(nameOf),
      beyond: beyond.slice(0, NAMED).map(nameOf),
      ...(twice.length === 0 ? {} : { maybeTwice: twice.map(({ toolCallId }) => toolCallId) }),
      ...(up.cutOffRun === null ? {} : { cutOffRun: up.cutOffRun }),
      ...(lost === null ? {} : { workspace: lost }),
      ...(short.length === 0 ? {} : { short: short.slice(0, NAMED).map(({ path }) => path) }),
      ...(truth === null ? {} : { head: truth.head, dirty: [...truth.dirty] }),
    },
  };
}

function shortLost(file: ShortFile): string {
  return `${file.isTouched ? "perhaps " : ""}what was written to ${shortFileWords(file)}`;
}

function memoryKept({ rung, grade }: StartedAgent): string[] {
  if (rung !== "native") return [];
  if (grade === "partial") return ["the agent's own memory, except what is named as lost"];
  return [
    "the agent's own memory of finished work: its messages, answers and tool calls match the session",
  ];
}

function memoryLost({ rung, refused }: StartedAgent, missing: readonly Anchor[]): string[] {
  if (missing.length > 0) {
    return [
      `of the agent's own memory: ${names(missing.map(nameOf))}; Holdfast repeats it to the agent ${AFTERWARDS}`,
    ];
  }
  if (rung === "native") return [];
  const why = refused === null ? "" : ` (${refused.reason})`;
  return rung === "injected"
    ? [`the agent's own memory${why}; Holdfast tells it a shortened conversation ${AFTERWARDS}`]
    : [`the agent's own memory${why}; it starts fresh`];
}

/** The end of a cut-off answer, which the agent may not have saved, whatever its replay shows. */
function cutOffLost({ cutOffRun }: StartedAgent, transcript: Transcript): string[] {
  const cut = cutOffRun === null ? null : earlierCutOff(transcript, cutOffRun);
  if (cut === null) return [];
  const { partial, unknownCalls } = cut;
  const calls = unknownCalls.map(callLine);
  return [
    ...(partial.trim() === ""
      ? []
      : [
          `perhaps the agent's memory of its last, unfinished answer (${count(partial.length, "character")}); Holdfast repeats it to the agent ${AFTERWARDS}`,
        ]),
    ...(calls.length === 0
      ? []
      : [
          `perhaps the agent's memory of unfinished tool calls: ${names(calls)}; Holdfast repeats it to the agent ${AFTERWARDS}`,
        ]),
  ];
}

/** The newest calls with an unknown outcome, of the last turn that an agent took or after it. */
function unknownCalls(transcript: Transcript): ToolPart[] {
  const { messages, runs } = transcript;
  const last = runs.findLast(({ taken }) => taken.length > 0);
  const turn = new Set(last === undefined ? [] : answersOfTurn(transcript, last.id));
  return messages
    .filter((message) => message.role === "assistant")
    .filter((message) => message.seq >= (last?.seq ?? 0) || turn.has(message))
    .flatMap(({ contentParts }) => contentParts)
    .filter((part) => part.type === "tool")
    .filter(({ status }) => status === "unknown")
    .slice(-NAMED);
}

/** The most characters of a call in a receipt. */
const CALL = 200;

const callLine = ({ name, input }: Pick<ToolPart, "name" | "input">) =>
  shortLine(toolWords(name, input), CALL);

function conversationWords(messages: readonly Message[]): string {
  const yours = messages.filter(({ role }) => role === "user").length;
  // The answer of the run that is about to go on has no words yet.
  const begun = messages.filter(
    ({ role, contentParts }) => role !== "user" && contentParts.length > 0,
  );
  const unfinished = begun.filter(({ status }) => status !== "completed").length;
  const answers = `${count(begun.length, "answer")} of the agent`;
  const cut =
    unfinished === 0
      ? ""
      : unfinished < begun.length
        ? `, ${unfinished} unfinished`
        : ", unfinished";
  return `the whole conversation: ${count(yours, "message")} of yours, ${answers}${cut}`;
}

function workspaceWords({ head, dirty }: WorkspaceTruth): string {
  const at = head === null ? "without a commit" : `at ${head.slice(0, 12)}`;
  return `the workspace, ${at}, ${count(dirty.length, "changed file")}`;
}

function nameOf(known: Anchor | Beyond): string {
  if (known.type === "tool") return `call ${known.toolCallId.slice(0, 80).toWellFormed()}`;
  if (known.type === "answer") return `its answer "${known.text.slice(0, 40).toWellFormed()}"`;
  return `"${known.text.slice(0, 40).toWellFormed()}"`;
}

function names(all: readonly string[]): string {
  const more = all.length - 5;
  return [...all.slice(0, 5), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
