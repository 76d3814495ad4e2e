/**
 * The parts of an earlier turn that a request to the model still contains, natively or in words.
 */

import { nativeTrace, ownText, toldIn, toldTrace } from "../model/calls.ts";
import type { Entry } from "../model/conversation.ts";

export interface Turn {
  readonly prompt: string;
  /** Text of the tool call's input. */
  readonly call: string;
  readonly answer: string;
}

export type Had = "native" | "told" | "missing";
export type Kept = Readonly<Record<"prompt" | "tool call" | "tool result" | "answer", Had>>;
export type Context = "native" | "injected" | "partial";

export function keptOf(conversation: readonly Entry[], turn: Turn): Kept {
  const told = conversation.map(toldIn).join("\n");
  const said = (role: Entry["role"], words: string) =>
    conversation.some((entry) => entry.role === role && ownText(entry).includes(words));
  const own = nativeTrace(conversation, turn.call);
  const inWords = toldTrace(conversation, turn.call);
  return {
    prompt: had(said("user", turn.prompt), told.includes(turn.prompt)),
    "tool call": had(own.isCalled, inWords.isCalled),
    "tool result": had(own.hasResult, inWords.hasResult),
    answer: had(said("assistant", turn.answer), told.includes(turn.answer)),
  };
}

export function contextOf(kept: Kept): Context {
  const all = Object.values(kept);
  if (all.includes("missing")) return "partial";
  return all.includes("told") ? "injected" : "native";
}

export function missingOf(kept: Kept): string[] {
  return Object.entries(kept).flatMap(([part, how]) => (how === "missing" ? [part] : []));
}

/** Calls without a result: providers refuse a request with such a call. */
export function unansweredIn(conversation: readonly Entry[]): string[] {
  const results = new Set(
    conversation.flatMap((entry) => ("toolResult" in entry ? [entry.toolResult.id] : [])),
  );
  return conversation.flatMap((entry) =>
    "toolCall" in entry && !results.has(entry.toolCall.id) ? [entry.toolCall.name] : [],
  );
}

const had = (isNative: boolean, isTold: boolean): Had =>
  isNative ? "native" : isTold ? "told" : "missing";
