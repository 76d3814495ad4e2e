/** The journal as the knots of its line, compressed: what a timeline shows and jumps to. */

import {
  type Event,
  type EventKind,
  type EventOf,
  interruptions,
  type Stamped,
} from "@holdfast/protocol";
import type { Tone } from "../words/state.ts";
import { decided, pauses } from "../words/story.ts";
import { toolWords } from "../words/tool.ts";
import { recoveryWords } from "./splices.ts";

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
type Knots = { readonly [K in EventKind]?: (event: Stamped<EventOf<K>>) => Said | null };

const knot = (shape: KnotShape, tone: Tone, words: string): Said => ({ shape, tone, words });

const knots: Knots = {
  "message.user": ({ content }) => knot("prompt", "strong", content),
  "tool.started": ({ name, input }) => knot("tool", "quiet", toolWords(name, input)),
  "approval.requested": ({ toolName, input }) =>
    knot("ask", "needs", `asked: ${toolWords(toolName, input)}`),
  "approval.decided": ({ decision, by }) =>
    knot("ask", decided[decision].tone, `${decided[decision].word.toLowerCase()} by ${by}`),
  "checkpoint.created": () => knot("checkpoint", "quiet", "checkpoint"),
  "run.completed": () => knot("end", "alive", "done"),
  "run.failed": ({ error }) => knot("end", "lost", `failed: ${error.message}`),
  "run.cancelled": () => knot("end", "quiet", "cancelled"),
  "run.interrupted": ({ reason }) => knot("cut", "needs", `interrupted: ${interruptions[reason]}`),
  "run.adopted": () => knot("splice", "recovered", "adopted; it was never interrupted"),
  "session.paused": ({ reason }) => knot("pause", "asleep", `paused: ${pauses[reason]}`),
  "session.resumed": ({ rung, grade, ms }) =>
    rung === "live" ? null : knot("splice", "recovered", recoveryWords(rung, grade, ms)),
};

export function knotsOf(events: readonly Event[]): readonly Knot[] {
  return events.flatMap((event) => {
    if (!Object.hasOwn(knots, event.kind)) return [];
    const said = (knots[event.kind] as (event: Event) => Said | null)(event);
    return said === null ? [] : [{ seq: event.seq, at: event.ts, ...said }];
  });
}
