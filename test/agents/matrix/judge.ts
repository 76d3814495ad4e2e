/** Compares the observations of a cell with the rules that hold after every kill. Pure. */

import {
  type Event,
  type EventKind,
  type Grade,
  outcomeOf,
  type Rung,
  type Status,
} from "@holdfast/protocol";
import { type Entry, saidBy } from "../model/conversation.ts";
import { type Cell, isInterrupted } from "./cells.ts";
import { type Context, contextOf, keptOf, missingOf, unansweredIn } from "./context.ts";
import { ofKind } from "./kinds.ts";
import { continued, first, last, plums, underWay } from "./words.ts";

export interface Seen {
  readonly cell: Cell;
  readonly events: readonly Event[];
  /** Seq of the kill. */
  readonly struck: number;
  /** The session's status after the interruption, before a person acted. */
  readonly status: Status | null;
  /** The first conversation sent to the model after the kill; null when there was none. */
  readonly proof: readonly Entry[] | null;
  /** Number of times that each tool took effect. */
  readonly lines: Readonly<Record<string, number>>;
  /** True when the same holder and agent processes serve the session as before. */
  readonly isSameAgent: boolean;
  /** True when the question from before the kill is still open under the same id. */
  readonly isSameQuestion: boolean;
  /** Processes of the killed agent that still ran when the next one was ready. */
  readonly beside: readonly string[];
  /** Processes that still ran after the session had ended. */
  readonly left: readonly string[];
}

export interface Verdict {
  readonly rung: Rung | null;
  readonly grade: Grade | null;
  /** Context of the first turn, as the model saw it. */
  readonly context: Context | null;
  readonly problems: readonly string[];
}

export function judge(seen: Seen): Verdict {
  const resumed = after(seen, "session.resumed");
  const { rung = null, grade = null } = resumed[0] ?? {};
  const context = seen.proof === null ? null : contextOf(keptOf(seen.proof, first));
  const problems = [
    ...(resumed.length === 1 ? [] : [`it was resumed ${resumed.length} times`]),
    ...wrongRung(seen, rung),
    ...wrongOutcomes(seen),
    ...wrongInterruptions(seen),
    ...wrongReceipts(seen, rung, grade),
    ...wrongMessages(seen),
    ...wrongEffects(seen),
    ...(seen.cell.phase === "permission" ? wrongQuestions(seen) : []),
    ...wrongContext(seen, grade, context),
    ...seen.beside.map((left) => `beside the new agent ran ${left}`),
    ...seen.left.map((left) => `after its end there is ${left}`),
  ];
  return { rung, grade, context, problems };
}

function wrongRung({ cell, isSameAgent }: Seen, rung: Rung | null): string[] {
  const { victim, loss, known } = cell;
  // An agent that loses sessions may be on either rung, if the rung is reported truly.
  const mayLose = loss === undefined && known.restMs !== undefined && victim !== "host";
  const expected = victim === "host" ? "adopted" : loss === undefined ? "native" : "injected";
  const fits = rung === expected || (mayLose && rung === "injected");
  return [
    ...(fits ? [] : [`its rung is ${rung}, not ${expected}`]),
    ...(isSameAgent === (victim === "host") ? [] : ["its processes are not who they should be"]),
  ];
}

function wrongOutcomes({ events }: Seen): string[] {
  return events.filter(ofKind("run.started")).flatMap(({ runId }) => {
    const outcomes = events.filter(
      (event) => outcomeOf(event.kind) !== undefined && "runId" in event && event.runId === runId,
    );
    return outcomes.length === 1 ? [] : [`run ${runId} has ${outcomes.length} outcomes`];
  });
}

function wrongInterruptions({ events, cell, status }: Seen): string[] {
  const reason = cell.victim === "all" ? "process_restart" : "process_exit";
  const expected = isInterrupted(cell) ? [reason] : [];
  const found = events.filter(ofKind("run.interrupted")).map((event) => event.reason);
  const word = isInterrupted(cell) ? "interrupted_startup" : null;
  return [
    ...(found.join() === expected.join()
      ? []
      : [`it was interrupted by "${found}", not "${expected}"`]),
    ...(status === word ? [] : [`its status was ${status}, not ${word}`]),
  ];
}

/** Every recovery has one receipt, also a recovery without loss. */
function wrongReceipts(seen: Seen, rung: Rung | null, grade: Grade | null): string[] {
  const receipts = after(seen, "receipt.issued");
  if (receipts.length !== 1) return [`there are ${receipts.length} receipts`];
  return receipts.flatMap((receipt) => [
    ...(receipt.rung === rung ? [] : [`its receipt says ${receipt.rung}`]),
    ...(receipt.evidence.grade === grade ? [] : [`its receipt says ${receipt.evidence.grade}`]),
    ...(rung !== "injected" || receipt.lost.length > 0 ? [] : ["its receipt names no loss"]),
    // A replay cannot confirm interrupted work, so the receipt must list it.
    ...(!isInterrupted(seen.cell) || receipt.lost.length > 0
      ? []
      : ["its receipt does not name what was cut off"]),
  ]);
}

/** Replayed messages must not be recorded again. */
function wrongMessages({ events, cell }: Seen): string[] {
  const expected = [first.words, underWay[cell.phase], last].filter((words) => words !== null);
  const found = events.filter(ofKind("message.user")).map(({ content }) => content);
  const said = events.map(wordsOf).join("");
  const times = said.split(first.answer).length - 1;
  return [
    ...(found.join("\n") === expected.join("\n") ? [] : [`it was told ${JSON.stringify(found)}`]),
    ...(times === 1 ? [] : [`its first answer is there ${times} times`]),
  ];
}

function wordsOf(event: Event): string {
  const isSaid = event.kind === "text.appended" || event.kind === "agent.spoke";
  return isSaid ? (event.text ?? "") : "";
}

/** An effect may occur twice only if a receipt says so. */
function wrongEffects({ lines, events }: Seen): string[] {
  const maybe = events
    .filter(ofKind("receipt.issued"))
    .flatMap(({ evidence }) => evidence.maybeTwice ?? []);
  return Object.entries(lines).flatMap(([word, times]) => {
    if (times === 1) return [];
    if (times === 0) return [`the tool for ${word} took no effect`];
    const calls = events
      .filter(ofKind("tool.started"))
      .filter(({ input }) => JSON.stringify(input).includes(word));
    const isNamed = calls.some(({ toolCallId }) => maybe.includes(toolCallId));
    return isNamed
      ? []
      : [`the tool for ${word} took effect ${times} times, and no receipt says so`];
  });
}

/** The person is asked once, and the agent that survives gets the answer. */
function wrongQuestions(seen: Seen): string[] {
  const { events, struck, cell, isSameQuestion } = seen;
  const asked = events.find((event) => event.seq === struck);
  const runId = asked?.kind === "approval.marked" ? asked.runId : "";
  const ofRun = <K extends EventKind>(kind: K) =>
    events.filter(ofKind(kind)).filter((event) => "runId" in event && event.runId === runId);
  const waits = ofRun("run.waiting").length;
  const carried = ofRun("approval.decided").filter(({ carriedFrom }) => carriedFrom !== undefined);
  // If the agent does not say exactly what would run, the person is asked again, with the reason.
  const isVague = ofRun("approval.requested").some(
    ({ askedAgain }) => askedAgain?.reason === "input_unknown",
  );
  const expected = cell.victim === "host" || isVague ? 0 : 1;
  return [
    ...(isSameQuestion ? [] : ["the question is another one after the kill"]),
    ...(waits === (isVague ? 2 : 1) ? [] : [`the person was asked ${waits} times`]),
    ...(carried.length === expected ? [] : [`the answer was carried ${carried.length} times`]),
    ...(ofRun("approval.delivered").length > 0 ? [] : ["the answer reached nobody"]),
  ];
}

/** The reported grade of the agent's memory must match the context that the model saw. */
function wrongContext(seen: Seen, grade: Grade | null, context: Context | null) {
  const { proof } = seen;
  if (proof === null) return ["the model was asked nothing after the kill"];
  const lacks = missingOf(keptOf(proof, first)).map((part) => `the first turn's ${part}`);
  const claimed = grade === "injected" ? "injected" : grade === "partial" ? context : "native";
  return [
    ...[...lacks, ...lackedBy(seen, proof)].map((part) => `the model's context lacks ${part}`),
    ...(claimed === context ? [] : [`its grade is ${grade}, and the model's context ${context}`]),
    ...unansweredIn(proof).map(
      (name) => `the model's context has a call of ${name} without result`,
    ),
  ];
}

/** Parts of the interrupted turn that the model was neither told nor remembers. */
function lackedBy(seen: Seen, proof: readonly Entry[]): string[] {
  const { phase, victim, next } = seen.cell;
  if (victim === "host") return [];
  // The prompt of Continue contains all parts; a new message only those that the agent may have
  // forgotten.
  const roles = next === "message" ? (["user", "assistant"] as const) : (["user"] as const);
  const said = roles.flatMap((role) => saidBy(role, proof)).join("\n");
  const words = [...continued[phase], ...openCalls(seen)].filter((part) => !said.includes(part));
  const turn = { prompt: "", answer: "", ...plums };
  const calls = phase === "tool" ? missingOf(keptOf(proof, turn)) : [];
  return [...words.map((part) => `"${part}"`), ...calls.map((part) => `the cut turn's ${part}`)];
}

/** Ids of the calls whose result is unknown. */
function openCalls({ cell, events }: Seen): string[] {
  if (cell.phase !== "open") return [];
  return events
    .filter(ofKind("tool.finished"))
    .flatMap(({ status, toolCallId }) => (status === "unknown" ? [toolCallId] : []));
}

function after<K extends EventKind>({ events, struck }: Seen, kind: K) {
  return events.filter(ofKind(kind)).filter(({ seq }) => seq > struck);
}
