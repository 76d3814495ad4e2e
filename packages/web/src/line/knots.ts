/** The journal as the knots of its line, compressed: what a timeline shows and jumps to. */

import type { Event, EventKind, EventOf, Stamped } from "@holdfast/protocol";
import { count, duration, listed } from "../words/measures.ts";
import type { Tone } from "../words/state.ts";
import { decided, interruptions, pauses } from "../words/story.ts";
import { toolWords } from "../words/tool.ts";
import { spliceWords } from "./splices.ts";

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
  "session.resumed": (event) =>
    event.rung === "live" ? null : knot("splice", "recovered", spliceWords(event)),
};

export function knotsOf(events: readonly Event[]): readonly Knot[] {
  return events.flatMap((event) => {
    if (!Object.hasOwn(knots, event.kind)) return [];
    const said = (knots[event.kind] as (event: Event) => Said | null)(event);
    return said === null ? [] : [{ seq: event.seq, at: event.ts, ...said }];
  });
}

/** What happened in one line, the most telling first: "2 questions, 3 files changed, done". */
export function awayWords(events: readonly Event[]): string {
  const of = (kind: EventKind) => events.filter((event) => event.kind === kind).length;
  const paths = new Set(
    events.flatMap((event) =>
      event.kind === "part.added" && event.part.type === "diff" ? [String(event.part.path)] : [],
    ),
  );
  const some = (n: number, words: (n: number) => string) => (n === 0 ? [] : [words(n)]);
  const facts = [
    ...some(of("run.failed"), () => "a run failed"),
    ...some(of("run.interrupted"), () => "a run was interrupted"),
    ...some(of("session.resumed"), () => `it came back${cameBack(events)}`),
    ...some(of("approval.requested"), (n) => count(n, "question")),
    ...some(of("tool.finished"), (n) => count(n, "tool call")),
    ...some(paths.size, (n) => `${count(n, "file")} changed`),
    ...some(of("run.completed"), (n) => (n === 1 ? "a run was done" : `${n} runs were done`)),
  ];
  return facts.length === 0 ? "the agent went on" : listed(facts);
}

function cameBack(events: readonly Event[]): string {
  const ms = events.findLast((event) => event.kind === "session.resumed")?.ms;
  return ms === undefined ? "" : ` in ${duration(ms)}`;
}
