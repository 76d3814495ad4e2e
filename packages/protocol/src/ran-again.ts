/**
 * Calls that an agent ran again after a recovery: the same tool with the same input as a call
 * before the cut. A receipt is written when the agent is up, before it can repeat a call, so this
 * list is derived from the journal and grows during the turn.
 */

import { canonicalJson } from "./canonical.ts";
import type { Json } from "./json.ts";
import { callStatus, type Part, type ToolPart } from "./transcript/parts.ts";
import type { Message, Receipt } from "./transcript/transcript.ts";
import { callWords } from "./words/tool.ts";

export interface RanAgain {
  readonly toolCallId: string;
  readonly name: string;
  readonly firstCallId: string;
  /** False when the agent does not tell what exactly ran; then only the names are equal. */
  readonly exact: boolean;
  /** True when the reported input is the same, but changed a file in another way than before. */
  readonly otherResult?: true | undefined;
}

type Story = Pick<Message, "role" | "runId" | "status" | "seq" | "endSeq" | "rewound"> & {
  readonly contentParts: readonly Part[];
};

/** Repeated calls by the receipt's seq; receipts without repeated calls are left out. */
export function ranAgain(
  messages: readonly Story[],
  receipts: readonly Pick<Receipt, "seq" | "rung">[],
): ReadonlyMap<number, readonly RanAgain[]> {
  const found = new Map<number, readonly RanAgain[]>();
  // An adopted agent was never stopped, so it repeats calls only on purpose.
  const restarts = receipts.filter(({ rung }) => rung !== "adopted");
  for (const [i, { seq }] of restarts.entries()) {
    const until = restarts[i + 1]?.seq ?? Number.POSITIVE_INFINITY;
    const calls = repeatedIn(messages, seq, until);
    if (calls.length > 0) found.set(seq, calls);
  }
  return found;
}

/** Repeated calls in words, for every view of a receipt; equal ones are counted in one line. */
export function ranAgainWords(calls: readonly RanAgain[]): string[] {
  const lines = new Map<string, number>();
  for (const call of calls) lines.set(lineOf(call), (lines.get(lineOf(call)) ?? 0) + 1);
  return [...lines].map(([line, n]) => (n === 1 ? line : `${line} (${n} calls)`));
}

function lineOf({ name, exact, otherResult }: RanAgain): string {
  if (otherResult) {
    return `perhaps ${callWords(name)}: its reported input is the same as before, but the file changed in another way`;
  }
  return exact
    ? `${callWords(name)}, with the same input as before`
    : `perhaps ${callWords(name)}: the same tool ran before, and the agent does not report its input`;
}

function repeatedIn(messages: readonly Story[], cut: number, until: number): RanAgain[] {
  const at = messages.findIndex(
    (message) => isAnswer(message) && (message.endSeq ?? cut + 1) > cut,
  );
  const goesOn = messages[at];
  if (goesOn === undefined) return [];
  const before = new Map<string, Call>();
  for (const { contentParts } of [...cutOff(messages.slice(0, at)), goesOn]) {
    for (const call of callsOf(contentParts)) {
      if (call.seq < cut) before.set(call.asked, call).set(call.same, call);
    }
  }
  if (before.size === 0) return [];
  return callsOf(goesOn.contentParts).flatMap(({ seq, same, asked, toolCallId, name, exact }) => {
    const first = seq > cut && seq < until ? (before.get(same) ?? before.get(asked)) : undefined;
    if (first === undefined) return [];
    const other = before.has(same) ? {} : { otherResult: true as const };
    return [{ toolCallId, name, firstCallId: first.toolCallId, exact, ...other }];
  });
}

const isAnswer = ({ role, runId }: Story) => role === "assistant" && runId !== null;

/** The cut-off answers that the next one continues, back to the last answer with an end. */
function cutOff(messages: readonly Story[]): readonly Story[] {
  const whole = messages.findLastIndex(
    (message) => isAnswer(message) && message.status !== "interrupted",
  );
  return messages.slice(whole + 1).filter(({ role, rewound }) => role === "assistant" && !rewound);
}

/** A call that is over and may have had an effect. */
interface Call {
  readonly seq: number;
  readonly toolCallId: string;
  readonly name: string;
  /** Equal for two calls that do the same, edits included. */
  readonly same: string;
  /** Equal for two calls with the same input; a call that does not tell it equals only `same`. */
  readonly asked: string;
  readonly exact: boolean;
}

function callsOf(parts: readonly Part[]): readonly Call[] {
  return parts.flatMap((part) =>
    part.type === "tool" && hasRun(part) ? [callOf(part, parts)] : [],
  );
}

/** True when the call is over and may have had an effect; a denied call has not run. */
function hasRun(tool: ToolPart): boolean {
  const status = callStatus(tool);
  if (status === "running" || status === "denied" || status === "not_started") return false;
  return tool.approval?.decision !== null;
}

/** Cache: a page asks for every piece of an answer, and a finished call does not change. */
const known = new WeakMap<ToolPart, Call>();

function callOf(tool: ToolPart, parts: readonly Part[]): Call {
  const read = known.get(tool) ?? readCall(tool, editsBy(tool.toolCallId, parts));
  known.set(tool, read);
  return read;
}

function readCall(tool: ToolPart, edits: readonly Json[]): Call {
  const { seq, toolCallId, name, input, inputBlob } = tool;
  const given = inputBlob?.hash ?? input;
  const same = canonicalJson([name, given, edits]);
  const isTold = inputBlob !== undefined || !isObject(input) || Object.keys(input).length > 0;
  const asked = isTold ? canonicalJson([name, given]) : same;
  return { seq, toolCallId, name, same, asked, exact: isTold || edits.length > 0 };
}

/** A call's result per edited file; of a file too large for an event, only the changed lines. */
function editsBy(toolCallId: string, parts: readonly Part[]): readonly Json[] {
  return parts.flatMap((part): Json[] => {
    if (part.type !== "other") return [];
    const edit = part.part.type === "diff" ? part.part : part.part.diff;
    if (!isObject(edit) || edit.toolCallId !== toolCallId) return [];
    return [[edit.path ?? null, edit.newText ?? edit.patch ?? null]];
  });
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
