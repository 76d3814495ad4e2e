/** The history, for an agent that does not remember it; words and limits of R004-39, R004-40. */

import { callStatus, type Json, type Message, type Part, type ToolPart } from "@holdfast/protocol";

/** The most characters of one message, and of a tool's input or result. */
const MESSAGE = 2000;
const TOOL = 500;

/** The most characters of the history; the number of older entries left out is stated. */
const WHOLE = 200_000;

export function withHistory(
  messages: readonly Message[],
  request: string,
  state: readonly string[] = [],
): string {
  const kept = messages.filter(({ rewound }) => !rewound);
  return [
    "RESUME CONTEXT FOR CONTINUING TASK",
    "",
    "=== EXECUTION HISTORY ===",
    "",
    ...recent(kept.flatMap(entriesOf)),
    ...planEntry(kept),
    "=== CURRENT REQUEST ===",
    "",
    request,
    "",
    "=== INSTRUCTIONS ===",
    "",
    "You are continuing work on the above task. The execution history shows what was done so far;",
    "look at the workspace before you rely on it. Do not repeat work that was already completed.",
    ...(state.length === 0 ? [] : ["", ...state]),
  ].join("\n");
}

function recent(entries: readonly string[]): string[] {
  let from = entries.length;
  for (let room = WHOLE; from > 0; from--) {
    room -= (entries[from - 1] as string).length;
    if (room < 0) break;
  }
  const left = from === 0 ? [] : [`[${from} earlier entries are left out]\n`];
  return [...left, ...entries.slice(from)];
}

function entriesOf({ role, contentParts, status }: Message): string[] {
  const speaker = role === "user" ? "[USER]" : "[ASSISTANT]";
  const entries = contentParts.flatMap((part) => entryOf(speaker, part));
  const isCut = role === "assistant" && status !== "completed" && status !== "running";
  return isCut ? [...entries, `[ASSISTANT]: (this answer was cut off: ${status})\n`] : entries;
}

function entryOf(speaker: string, part: Part): string[] {
  if (part.type === "tool") return toolEntries(part);
  if (part.type !== "text" || part.text.trim() === "") return [];
  return [`${speaker}: ${shortened(part.text, MESSAGE)}\n`];
}

/** The agent's latest plan; each plan replaces the one before. */
function planEntry(messages: readonly Message[]): string[] {
  const plan = messages
    .flatMap(({ contentParts }) => contentParts)
    .findLast((part) => part.type === "other" && part.part.type === "plan");
  const entries = plan?.type === "other" ? plan.part.entries : null;
  const steps = (Array.isArray(entries) ? entries : []).flatMap((entry) => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [];
    const { status, content } = entry;
    return typeof content === "string" ? [`- (${textOf(status ?? "pending")}) ${content}`] : [];
  });
  if (steps.length === 0) return [];
  return [`[ASSISTANT]: My plan stands so:\n${shortened(steps.join("\n"), MESSAGE)}\n`];
}

function toolEntries(tool: ToolPart): string[] {
  const { name, input, output } = tool;
  const status = callStatus(tool);
  const result = status === "completed" ? output : `(${status}) ${output}`;
  return [
    `[TOOL CALL: ${name}] ${shortened(textOf(input), TOOL)}\n`,
    `[TOOL RESULT: ${name}] ${shortened(result, TOOL)}\n`,
  ];
}

const textOf = (input: Json): string => (typeof input === "string" ? input : JSON.stringify(input));

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}...`;
}
