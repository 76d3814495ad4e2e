/** The journal as the knots of its line: the entries of the timeline, to which it can jump. */

import {
  type Event,
  type EventKind,
  type EventOf,
  interruptions,
  recoveryWords,
  requestLine,
  requestOf,
  type Stamped,
  workspaceLossWords,
} from "@holdfast/protocol";
import type { Tone } from "../words/state.ts";
import { decided, pauses } from "../words/story.ts";
import { toolWords } from "../words/tool.ts";

export type KnotShape =
  | "prompt"
  | "tool"
  | "ask"
  | "checkpoint"
  | "end"
  | "cut"
  | "splice"
  | "pause";

export interface Knot {
  readonly seq: number;
  readonly at: string;
  readonly shape: KnotShape;
  readonly tone: Tone;
  readonly words: string;
}

type Said = Pick<Knot, "shape" | "tone" | "words">;
/** Names of the calls so far, by id: a question knows only the kind of its call. */
type CallNames = ReadonlyMap<string, string>;
type Knots = {
  readonly [K in EventKind]?: (event: Stamped<EventOf<K>>, calls: CallNames) => Said | null;
};

const knot = (shape: KnotShape, tone: Tone, words: string): Said => ({ shape, tone, words });

const knots: Knots = {
  "message.user": ({ content }) => knot("prompt", "strong", content),
  "tool.started": ({ name, input }) => knot("tool", "quiet", toolWords(name, input)),
  "approval.requested": (event, calls) =>
    knot("ask", "needs", `asked: ${askedWords(event, calls)}`),
  "approval.decided": ({ decision, by }) =>
    knot("ask", decided[decision].tone, `${decided[decision].word.toLowerCase()} by ${by}`),
  "checkpoint.created": () => knot("checkpoint", "quiet", "checkpoint"),
  "run.completed": () => knot("end", "alive", "done"),
  "run.failed": ({ error }) => knot("end", "lost", `failed: ${error.message}`),
  "run.cancelled": () => knot("end", "quiet", "cancelled"),
  "run.interrupted": ({ reason }) => knot("cut", "needs", `interrupted: ${interruptions[reason]}`),
  "workspace.lost": ({ what }) => knot("cut", "lost", workspaceLossWords[what]),
  "run.adopted": () => knot("splice", "recovered", "adopted; it was never interrupted"),
  "session.paused": ({ reason }) => knot("pause", "asleep", `paused: ${pauses[reason]}`),
  "session.resumed": ({ rung, grade, ms }) =>
    rung === "live" ? null : knot("splice", "recovered", recoveryWords(rung, grade, ms)),
};

export function knotsOf(events: readonly Event[]): readonly Knot[] {
  const calls = new Map<string, string>();
  return events.flatMap((event) => {
    const isNamed = event.kind === "tool.started" || event.kind === "tool.updated";
    if (isNamed && event.name !== undefined) calls.set(event.toolCallId, event.name);
    if (!Object.hasOwn(knots, event.kind)) return [];
    const told = knots[event.kind] as (event: Event, calls: CallNames) => Said | null;
    const said = told(event, calls);
    return said === null ? [] : [{ seq: event.seq, at: event.ts, ...said }];
  });
}

function askedWords(asked: EventOf<"approval.requested">, calls: CallNames): string {
  const { toolCallId, toolName, input, inputBlob = null, inputPreview = null } = asked;
  const request = requestOf({ toolInput: input, inputBlob, inputPreview });
  return requestLine(request, { name: calls.get(toolCallId) ?? toolName, input });
}
