/** Finds a tool call and its result in a conversation, natively or in an injected history. */

import { type Entry, textOf } from "./conversation.ts";

export interface Trace {
  readonly isCalled: boolean;
  readonly hasResult: boolean;
}

/** Finds the calls whose input contains `words`. */
export function nativeTrace(conversation: readonly Entry[], words: string): Trace {
  const calls = conversation.flatMap((entry) => ("toolCall" in entry ? [entry.toolCall] : []));
  const ids = calls.filter(({ input }) => inputText(input).includes(words)).map(({ id }) => id);
  return {
    isCalled: ids.length > 0,
    hasResult: conversation.some(
      (entry) => "toolResult" in entry && ids.includes(entry.toolResult.id),
    ),
  };
}

/** Finds a call in the text of an injected history. */
export function toldTrace(conversation: readonly Entry[], words: string): Trace {
  const lines = conversation.flatMap((entry) => toldIn(entry).split("\n"));
  const call = lines.findIndex((line) => line.startsWith("[TOOL CALL:") && line.includes(words));
  const behind = call < 0 ? [] : lines.slice(call);
  return {
    isCalled: call >= 0,
    hasResult: behind.some((line) => line.startsWith("[TOOL RESULT:")),
  };
}

const history = /=== EXECUTION HISTORY ===(.*?)=== CURRENT REQUEST ===/s;

export const toldIn = (entry: Entry): string => history.exec(textOf(entry))?.[1] ?? "";

/** The text of an entry without the injected history. */
export const ownText = (entry: Entry): string => textOf(entry).replace(history, "");

const inputText = (input: unknown): string => JSON.stringify(input) ?? "";
