/** The entries that one of the agent's own sessions must contain, by the journal. */

import type { Message, Part, RunRecord, Transcript } from "@holdfast/protocol";
import { plain } from "./words.ts";

/** An entry that journal and agent both have: a message, a call by its id, or an answer. */
export type Anchor = (
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "tool"; readonly toolCallId: string; readonly name: string }
  /** The end of the agent's answer in a completed run. */
  | { readonly type: "answer"; readonly text: string }
) & {
  /** The seq of the first message to tell if this entry is missing. */
  readonly from: number;
};

export interface Journalled {
  readonly anchors: readonly Anchor[];
  /** The ids of all calls, of any session of the agent. */
  readonly calls: ReadonlySet<string>;
  /** The plain text of every message of the person. */
  readonly words: ReadonlySet<string>;
  readonly last: RunRecord | null;
  readonly lastWords: string;
}

export function journalledOf({ messages, runs }: Transcript, agentSessionId: string): Journalled {
  const took = runs.filter(({ taken }) => taken.some(({ by }) => by === agentSessionId));
  const answers = answersByRun(messages);
  const last = took.at(-1) ?? null;
  return {
    anchors: anchorsOf(took, messages, answers, agentSessionId),
    calls: new Set(messages.flatMap(({ contentParts }) => contentParts.flatMap(callIn))),
    words: new Set(messages.flatMap(wordsIn).map(plain)),
    last,
    lastWords: last === null ? "" : wordsBehind(answers.get(last.id) ?? []),
  };
}

function anchorsOf(
  took: readonly RunRecord[],
  messages: readonly Message[],
  answers: ReadonlyMap<string, readonly Message[]>,
  agentSessionId: string,
): Anchor[] {
  const asked = new Map(messages.map((message) => [message.id, message]));
  const told = took.flatMap((run) => {
    const from = toldFrom(run, agentSessionId);
    return from === null ? [] : [{ run, from }];
  });
  return took.flatMap((run) => {
    // History that a later prompt repeated is checked through that prompt, not as the session's own
    // memory.
    const isTold = ({ seq }: Message) =>
      told.some((by) => by.run !== run && seq >= by.from && seq < by.run.seq);
    const [first, ...again] = run.taken;
    // The session may not remember calls from before it took over the run, or was told about it
    // again.
    const isItsOwn = first?.by === agentSessionId && again.every(({ toldFrom }) => !toldFrom);
    const message = asked.get(run.messageId);
    const from = toldFrom(run, agentSessionId);
    const own = isItsOwn ? (answers.get(run.id) ?? []) : [];
    const known = [...(message ? [message] : []), ...own].filter(
      (one) => !one.rewound && !isTold(one),
    );
    return [...known.flatMap((one) => anchorsIn(one, from)), ...answerIn(run, own, known)];
  });
}

/** The seq of the first message that this run's prompts repeated; null without history. */
function toldFrom({ taken }: RunRecord, agentSessionId: string): number | null {
  const told = taken.filter(({ by, toldFrom }) => by === agentSessionId && toldFrom !== null);
  return told.length === 0 ? null : Math.min(...told.map(({ toldFrom }) => toldFrom as number));
}

/** Answers by run; output between turns belongs to the run before it. */
function answersByRun(messages: readonly Message[]): Map<string, Message[]> {
  const answers = new Map<string, Message[]>();
  let current = "";
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    current = message.runId ?? current;
    const known = answers.get(current);
    if (known === undefined) answers.set(current, [message]);
    else known.push(message);
  }
  return answers;
}

/** The anchors in a message; a missing prompt takes along the history that it repeated. */
function anchorsIn({ role, contentParts, seq }: Message, toldFrom: number | null): Anchor[] {
  return contentParts.flatMap((part): Anchor[] => {
    // Agents leave calls that never started out of their replay, although they remember them.
    if (part.type === "tool" && part.status === "not_started") return [];
    if (part.type === "tool") {
      return [{ type: "tool", toolCallId: part.toolCallId, name: part.name, from: seq }];
    }
    if (role === "assistant") return recoveredWords(part).map((text) => said(text, seq));
    return part.type === "text" ? [said(part.text, Math.min(seq, toldFrom ?? seq))] : [];
  });
}

/** The answer of a completed run; the end of a cut-off run is told again anyway. */
function answerIn(
  { outcome }: RunRecord,
  own: readonly Message[],
  known: readonly Message[],
): Anchor[] {
  const last = own.at(-1);
  if (outcome !== "completed" || last === undefined || !known.includes(last)) return [];
  const text = wordsBehind(own);
  return plain(text) === "" ? [] : [{ type: "answer", text, from: last.seq }];
}

const said = (text: string, from: number): Anchor => ({ type: "user", text, from });

/** The id of a call; between turns a call is stored as an `other` part. */
function callIn(part: Part): string[] {
  if (part.type === "tool") return [part.toolCallId];
  const id = part.type === "other" ? part.part.toolCallId : undefined;
  return typeof id === "string" ? [id] : [];
}

function wordsIn({ role, contentParts }: Message): string[] {
  return contentParts.flatMap((part) => {
    if (role === "assistant") return recoveredWords(part);
    return part.type === "text" ? [part.text] : [];
  });
}

/** Recovered messages of a person who used the agent elsewhere. */
function recoveredWords(part: Part): string[] {
  if (part.type !== "other" || !part.recovered || part.part.type !== "user") return [];
  return typeof part.part.text === "string" ? [part.part.text] : [];
}

function wordsBehind(answers: readonly Message[]): string {
  const parts = answers.flatMap(({ contentParts }) => contentParts);
  const from = parts.findLastIndex(
    (part) => part.type === "tool" || recoveredWords(part).length > 0,
  );
  return parts
    .slice(from + 1)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}
