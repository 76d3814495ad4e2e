/** Renders an opened transcript: its messages, and the view from which later events continue. */

import {
  ago,
  answerWords,
  askerWords,
  callName,
  callStatus,
  count,
  interruptionWords,
  isStop,
  type MessageView,
  type RouteReply,
  type RuntimeState,
  type SessionState,
  type SessionView,
  type ToolPart,
  withoutRepeatedRestarts,
} from "@holdfast/protocol";
import { quiet, toned, type Words } from "../output/words.ts";
import { partBlob, restLines } from "./blob-words.ts";
import { partLine } from "./part-words.ts";
import {
  emptyView,
  largeOf,
  type Piece,
  type Question,
  type Rendered,
  type View,
} from "./render.ts";
import { type ListedReceipt, messageLines, spliceLines, toolMarks } from "./story-words.ts";
import { toolLine } from "./tool-words.ts";

/** The fields of a transcript that are rendered; a stream's reset has the same ones. */
export type Opened = Pick<RouteReply<"getTranscript">, "seq" | "state" | "messages" | "earlier"> & {
  readonly session?: Pick<SessionView, "runtime">;
};
type Part = MessageView["contentParts"][number];

/** Renders messages, outcomes, recoveries and questions; an unfinished answer stays open. */
export function openTranscript(
  opened: Opened,
  now: number,
  receipts: readonly ListedReceipt[] = [],
): Rendered {
  const { seq, state, messages, earlier } = opened;
  const { id: session } = state;
  const questions = openQuestions(state, opened.session?.runtime.state);
  const pieces: Piece[] = earlier > 0 ? [note(quiet(`… ${count(earlier, "message")} before`))] : [];
  const from = earlier > 0 ? (messages[0]?.seq ?? 0) : 0;
  const splices = new Splices(
    withoutRepeatedRestarts(receipts, messages).filter((receipt) => receipt.seq > from),
  );
  for (const message of messages) {
    const isOpen = message === messages.at(-1) && questions.length === 0;
    pieces.push(
      ...(message.role === "user"
        ? [...splices.before(message.seq), ...userPieces(session, message, now)]
        : answerPieces(session, message, isOpen, splices)),
    );
  }
  pieces.push(...splices.before(Number.POSITIVE_INFINITY));
  pieces.push(...unsentPieces(state));
  pieces.push(...questions.map((question): Piece => ({ type: "question", question })));
  const last = pieces.at(-1);
  const at = last?.type === "answer" && !last.text.endsWith("\n") ? "text" : "line";
  const tools = runningTools(messages);
  const { agentEnd } = state.runtime;
  return { view: { ...emptyView, session, seq, at, questions, tools, agentEnd }, pieces };
}

function runningTools(messages: readonly MessageView[]): View["tools"] {
  const parts = messages.at(-1)?.contentParts ?? [];
  const running = parts.filter((part) => part.type === "tool" && part.status === "running");
  return new Map(
    running.flatMap((part) => {
      if (part.type !== "tool") return [];
      return [
        [
          part.toolCallId,
          {
            name: part.name,
            line: toolLine(part.name, part.input),
            startedAt: (part.approval === undefined ? part.startedAt : null) ?? "",
            denied: part.approval?.decision === "deny" && !isStop(part.approval.reason),
          },
        ],
      ];
    }),
  );
}

/** The questions that wait, oldest first. `runtime` is the host's word where it is known. */
export function openQuestions(
  state: SessionState,
  runtime: RuntimeState["state"] = state.runtime.state,
): Question[] {
  const { id, run } = state;
  if (!run || run.outcome !== null) return [];
  const waits = new Set(run.waits.map(({ approvalId }) => approvalId));
  return run.approvals
    .filter(({ id, decision, withdrawn }) => waits.has(id) && decision === null && !withdrawn)
    .map((asked) => {
      const { id: approvalId, toolCallId, input, digest, options } = asked;
      const name = callName(run, asked);
      const again = asked.askedAgain ?? undefined;
      const asker = askerWords(state, approvalId, runtime);
      const known = { approvalId, runId: run.id, toolCallId, name, input, digest, again, options };
      return { ...known, asker, ...largeOf(id, asked) };
    });
}

const note = (words: Words): Piece => ({ type: "note", words });

/** The messages that were still queued when the session ended. */
function unsentPieces({ id, ended, queue }: SessionState): Piece[] {
  if (ended === null || queue.length === 0) return [];
  const lines = queue.flatMap(({ content, blob }) => [
    ...messageLines(content),
    ...restLines(id, blob ?? undefined),
  ]);
  return [[toned("lost", "✗ never sent"), ":"], ...lines].map(note);
}

function userPieces(
  session: string,
  { contentParts, createdAt }: MessageView,
  now: number,
): Piece[] {
  const texts = contentParts.filter((part) => part.type === "text");
  const text = texts.map((part) => part.text).join("");
  const rest = texts.flatMap(({ blob }) => restLines(session, blob));
  return [...messageLines(text, quiet(`  ${ago(createdAt, now)}`)), ...rest].map(note);
}

function answerPieces(
  session: string,
  message: MessageView,
  isOpen: boolean,
  splices: Splices,
): Piece[] {
  const { contentParts, status, endSeq } = message;
  const pieces = contentParts.flatMap((part, i): Piece[] => {
    const before = splices.before(part.seq);
    if (part.type !== "text") return [...before, ...partNotes(session, part).map(note)];
    const isLast = i === contentParts.length - 1;
    return [...before, ...textPieces(part, isLast && isOpen && status === "running", splices)];
  });
  const end = ends[status];
  // Output between turns ends no run.
  if (end === null || message.runId === null) return pieces;
  const before = splices.before(endSeq ?? Number.POSITIVE_INFINITY);
  return [...pieces, ...before, note([end, whyOf(message)])];
}

/** Splits text at each recovery. Each piece is whole lines, except unfinished text at the end. */
function textPieces(
  { text, cuts = [] }: Extract<Part, { type: "text" }>,
  isOpen: boolean,
  splices: Splices,
): Piece[] {
  let from = 0;
  const pieces: Piece[] = [];
  for (const { seq, at } of cuts) {
    const told = splices.before(seq + 0.5);
    if (told.length === 0) continue;
    if (at > from) pieces.push(wholeLines(text.slice(from, at)));
    pieces.push(...told);
    from = Math.max(from, at);
  }
  const last = text.slice(from);
  if (last === "" && pieces.length > 0) return pieces;
  return [...pieces, isOpen ? { type: "answer", text: last } : wholeLines(last)];
}

const wholeLines = (text: string): Piece => ({
  type: "answer",
  text: text.endsWith("\n") ? text : `${text}\n`,
});

/** Receipts in journal order, each returned once, before the first later content. */
class Splices {
  readonly #receipts: readonly ListedReceipt[];
  #next = 0;

  constructor(receipts: readonly ListedReceipt[]) {
    this.#receipts = receipts;
  }

  before(seq: number): Piece[] {
    const from = this.#next;
    while ((this.#receipts[this.#next]?.seq ?? Number.POSITIVE_INFINITY) < seq) this.#next++;
    return this.#receipts.slice(from, this.#next).flatMap(spliceLines).map(note);
  }
}

function whyOf({ errorMessage, interruption }: MessageView): string {
  if (interruption !== undefined) {
    return ` (${interruptionWords(interruption.reason, interruption.agentEnd)})`;
  }
  return errorMessage === null ? "" : `: ${errorMessage}`;
}

const ends = {
  running: null,
  completed: toned("alive", "✓ done"),
  cancelled: toned("lost", "✗ cancelled"),
  error: toned("lost", "✗ failed"),
  interrupted: toned("needs", "! interrupted"),
} as const;

function partNotes(session: string, part: Exclude<Part, { type: "text" }>): Words[] {
  switch (part.type) {
    case "tool":
      return [
        [toolMarks[callStatus(part)], ` ${toolLine(part.name, part.input)}`],
        ...denialLines(part.approval),
        ...restLines(session, part.inputBlob),
        ...restLines(session, part.outputBlob),
      ];
    case "notice":
      return [[toned("lost", "! an attempt failed"), `: ${part.text}`]];
    case "thinking":
      return [quiet("· thinking …")];
    default:
      return [quiet(`· ${partLine(part.part)}`), ...restLines(session, partBlob(part.part))];
  }
}

function denialLines(approval: ToolPart["approval"]): Words[] {
  if (approval?.decision !== "deny" || approval.by === undefined) return [];
  const { by, reason } = approval;
  return [`    ${answerWords({ decision: "deny", by, reason })}`];
}
