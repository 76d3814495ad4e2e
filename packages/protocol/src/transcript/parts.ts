/** The parts of a message: text, tool calls and other content, with their places in the journal. */

import type { EventOf, Json, Stamped } from "../events.ts";
import { recoveredPart } from "../recovered.ts";
import { STOP_REASON } from "../vocabulary.ts";
import type { PartShape } from "./shapes.ts";

export type Part = Readonly<PartShape>;
export type TextPart = Extract<Part, { type: "text" }>;
type ThinkingPart = Extract<Part, { type: "thinking" }>;
export type ToolPart = Extract<Part, { type: "tool" }>;

/** The place of output in the journal; output between turns has no attempt. */
interface Place {
  readonly seq: number;
  readonly attempt?: number;
}

type Added = Place & {
  readonly part?: Readonly<Record<string, Json>> | undefined;
  readonly recovered?: boolean | undefined;
};

export function appendText(
  parts: Part[],
  type: "text" | "thinking",
  { seq, attempt, text }: Place & { readonly text: string },
): void {
  const last = parts.at(-1);
  if (last?.type === type && !("recovered" in last) && isOf(last, attempt)) {
    parts[parts.length - 1] = { ...last, text: last.text + text };
  } else parts.push({ type, seq, text, ...launch(attempt) });
}

/** Adds output between turns. Late text goes on with the text that was cut off. */
export function addSpoken(parts: Part[], event: Stamped<EventOf<"agent.spoke">>): void {
  const { seq, text, part } = event;
  const last = parts.at(-1);
  const place = {
    seq,
    ...launch(last !== undefined && "attempt" in last ? last.attempt : undefined),
  };
  if (text !== undefined) appendText(parts, "text", { ...place, text });
  if (part?.type === "thinking" && typeof part.text === "string" && event.recovered !== true) {
    appendText(parts, "thinking", { ...place, text: part.text });
  } else if (part !== undefined) addPart(parts, event);
}

/** Records a recovery during a text: the text goes on as one part, with the position of the cut. */
export function cutText(parts: Part[], seq: number): void {
  const last = parts.at(-1);
  if (last?.type !== "text" || last.recovered === true) return;
  parts[parts.length - 1] = {
    ...last,
    cuts: [...(last.cuts ?? []), { seq, at: last.text.length }],
  };
}

export function addPart(parts: Part[], { seq, attempt, part = {}, recovered }: Added): void {
  if (recovered === true) addRecovered(parts, part, { seq, ...launch(attempt) });
  else parts.push({ type: "other", seq, part, recovered: false });
}

/** Adds recovered text and calls as marked parts; unknown content is kept unchanged. */
function addRecovered(parts: Part[], found: Readonly<Record<string, Json>>, place: Place): void {
  const part = recoveredPart(found);
  const { seq, attempt } = place;
  const last = parts.at(-1);
  if (part === null || part.type === "user") {
    parts.push({ type: "other", seq, part: found, recovered: true });
  } else if (part.type === "tool") {
    parts.push({ ...part, seq, startedAt: null, endedAt: null, recovered: true });
  } else if (last?.type === "text" && last.recovered === true && isOf(last, attempt)) {
    parts[parts.length - 1] = { ...last, text: last.text + part.text };
  } else {
    parts.push({ ...part, ...place, recovered: true });
  }
}

/** Text without a known attempt (of an older fold) may always be extended. */
function isOf(said: TextPart | ThinkingPart, attempt: number | undefined): boolean {
  return said.attempt === undefined || said.attempt === attempt;
}

const launch = (attempt: number | undefined) => (attempt === undefined ? {} : { attempt });

export function toolOf(event: Stamped<EventOf<"tool.started">>): ToolPart {
  const { seq, ts, toolCallId, name, input, blob, delegates } = event;
  return {
    type: "tool",
    seq,
    toolCallId,
    name,
    input,
    status: "running",
    output: "",
    startedAt: ts,
    endedAt: null,
    ...(blob === undefined ? {} : { inputBlob: blob }),
    ...(delegates === true ? { delegates } : {}),
  };
}

export function onTool(
  parts: Part[],
  toolCallId: string,
  change: (tool: ToolPart) => ToolPart,
): void {
  const at = parts.findLastIndex((part) => part.type === "tool" && part.toolCallId === toolCallId);
  const tool = parts[at];
  if (tool?.type === "tool") parts[at] = change(tool);
}

export function updated(tool: ToolPart, event: EventOf<"tool.updated">): ToolPart {
  if (tool.status !== "running") return tool;
  const { inputBlob: _before, ...rest } = tool;
  const { name = tool.name, input, blob } = event;
  const output = tool.output + event.output;
  if (input === undefined) return { ...tool, name, output };
  return { ...rest, name, input, output, ...(blob === undefined ? {} : { inputBlob: blob }) };
}

export function finished(tool: ToolPart, event: Stamped<EventOf<"tool.finished">>): ToolPart {
  if (tool.status !== "running") return tool;
  const { status, output, synthetic, blob, ts: endedAt } = event;
  return {
    ...tool,
    status,
    endedAt,
    output: synthetic === true ? closed(tool.output, output) : output,
    ...(blob === undefined ? {} : { outputBlob: blob }),
  };
}

/** The end of a call that the agent reports between turns. */
type LateEnd = Pick<EventOf<"tool.finished">, "toolCallId" | "status" | "output" | "blob">;

export function lateEndOf({ part }: EventOf<"agent.spoke">): LateEnd | null {
  const { type, toolCallId, output } = part ?? {};
  if (type !== "tool_finished" || typeof toolCallId !== "string") return null;
  return typeof output === "string" ? (part as LateEnd) : null;
}

/**
 * Takes the agent's own end of a call that the host closed when the run ended. It replaces an
 * unknown outcome; another status stands, and only the output is added.
 */
export function finishedLate(tool: ToolPart, { status, output, blob }: LateEnd): ToolPart {
  const large = blob === undefined ? {} : { outputBlob: blob };
  if (tool.status === "unknown") return { ...tool, status, output, ...large };
  return output === "" ? tool : { ...tool, output: closed(tool.output, output), ...large };
}

/**
 * The status of a call for people. A call that a person denied is denied once it is over, even if
 * its agent reports it as completed or failed; one that a stop denied is cancelled.
 */
export function callStatus({
  status,
  approval,
}: Pick<ToolPart, "status" | "approval">): ToolPart["status"] {
  if (approval?.decision !== "deny" || status === "running") return status;
  return approval.reason === STOP_REASON ? "cancelled" : "denied";
}

/** The output of a call so far, with one more word: the host's when it closes it, or the agent's. */
const closed = (before: string, word: string) => (before === "" ? word : `${before}\n${word}`);
