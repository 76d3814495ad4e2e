/** The journal as the knots of its line: the entries of the timeline, to which it can jump. */

import {
  type AgentEnd,
  agentEndOf,
  answerWords,
  type Event,
  type EventKind,
  type EventOf,
  interruptionWords,
  isStop,
  pauseWords,
  recoveryWords,
  requestLine,
  requestOf,
  type Stamped,
  type Tone,
  workspaceLossWords,
} from "@holdfast/protocol";
import { decided } from "../words/story.ts";
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
interface Before {
  /** Names of the calls, by id: a question knows only the kind of its call. */
  readonly calls: ReadonlyMap<string, string>;
  readonly agentEnd: AgentEnd | null | undefined;
}
type Knots = {
  readonly [K in EventKind]?: (event: Stamped<EventOf<K>>, before: Before) => Said | null;
};

const knot = (shape: KnotShape, tone: Tone, words: string): Said => ({ shape, tone, words });

const knots: Knots = {
  "message.user": ({ content }) => knot("prompt", "strong", content),
  "tool.started": ({ name, input }) => knot("tool", "quiet", toolWords(name, input)),
  "approval.requested": (event, before) =>
    knot("ask", "needs", `asked: ${askedWords(event, before)}`),
  "approval.decided": ({ reason, ...answer }) =>
    isStop(reason)
      ? knot("ask", "quiet", answerWords({ ...answer, reason }))
      : knot("ask", decided[answer.decision].tone, answerWords(answer)),
  "checkpoint.created": () => knot("checkpoint", "quiet", "checkpoint"),
  "run.completed": () => knot("end", "alive", "done"),
  "run.failed": ({ error }) => knot("end", "lost", `failed: ${error.message}`),
  "run.cancelled": () => knot("end", "quiet", "cancelled"),
  "run.interrupted": ({ reason }, { agentEnd }) =>
    knot("cut", "needs", `interrupted: ${interruptionWords(reason, agentEnd)}`),
  "workspace.lost": ({ what }) => knot("cut", "lost", workspaceLossWords[what]),
  "run.adopted": () => knot("splice", "recovered", recoveryWords("adopted", null, null)),
  "session.paused": ({ reason }) => knot("pause", "asleep", `paused: ${pauseWords[reason]}`),
  "session.resumed": ({ rung, grade, ms }) =>
    rung === "live" ? null : knot("splice", "recovered", recoveryWords(rung, grade, ms)),
};

/** The knots of a line, and what later events need of the earlier ones. */
interface KnotLine extends Before {
  readonly knots: readonly Knot[];
}

export const emptyLine: KnotLine = { knots: [], calls: new Map(), agentEnd: undefined };

export function lengthened(line: KnotLine, events: readonly Event[]): KnotLine {
  const calls = new Map(line.calls);
  let { agentEnd } = line;
  const knots = events.flatMap((event) => {
    agentEnd = agentEndOf(agentEnd, event);
    const isNamed = event.kind === "tool.started" || event.kind === "tool.updated";
    if (isNamed && event.name !== undefined) calls.set(event.toolCallId, event.name);
    const said = saidAt(event, { calls, agentEnd });
    return said === null ? [] : [{ seq: event.seq, at: event.ts, ...said }];
  });
  return { knots: [...line.knots, ...knots], calls, agentEnd };
}

function saidAt(event: Event, before: Before): Said | null {
  if (!Object.hasOwn(knots, event.kind)) return null;
  const told = knots[event.kind] as (event: Event, before: Before) => Said | null;
  return told(event, before);
}

function askedWords(asked: EventOf<"approval.requested">, { calls }: Before): string {
  const { toolCallId, toolName, input, inputBlob = null, inputPreview = null } = asked;
  const request = requestOf({ toolInput: input, inputBlob, inputPreview });
  return requestLine(request, { name: calls.get(toolCallId) ?? toolName, input });
}
