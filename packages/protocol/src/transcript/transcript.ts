/**
 * The transcript: a second fold of the same journal, into messages with content parts. Partial text
 * is always kept. Every tool call has at most one result, and the first result stands.
 */

import { agentEndOf, endIn } from "../agent-end.ts";
import type { Event, EventKind, EventOf, Stamped } from "../events.ts";
import type { AgentEnd } from "../vocabulary.ts";
import {
  addPart,
  addSpoken,
  appendText,
  cutText,
  finished,
  finishedLate,
  lateEndOf,
  onTool,
  type Part,
  toolOf,
  updated,
} from "./parts.ts";
import { foldRuns, type RunRecord } from "./run-records.ts";
import type { MessageView } from "./shapes.ts";

export interface Transcript {
  readonly seq: number;
  readonly messages: readonly Message[];
  /** Receipts of all recoveries; kept as long as the messages. */
  readonly receipts: readonly Receipt[];
  /** All runs, oldest first; their output is in their messages. */
  readonly runs: readonly RunRecord[];
  /** The agent's own session after the last event. */
  readonly agentSessionId: string | null;
  /** The seq of the first message that the next prompt repeats as history. */
  readonly contextFrom: number | null;
  /** The end of the latest agent; null while it is up, absent when its start is not known. */
  readonly agentEnd?: AgentEnd | null;
  /** The seq of the latest `agent.ready`; absent before the first, and in bases of fold 12. */
  readonly readySeq?: number;
}

type Issued = Stamped<EventOf<"receipt.issued">>;

/** A stored receipt; `ms` is null when the duration was not measured. */
export type Receipt = Omit<Issued, "kind" | "v" | "ms"> & { readonly ms: number | null };

export type Message = Readonly<Omit<MessageView, "contentParts">> & {
  readonly contentParts: readonly Part[];
};
export type MessageStatus = Message["status"];

export const emptyTranscript: Transcript = {
  seq: 0,
  messages: [],
  receipts: [],
  runs: [],
  agentSessionId: null,
  contextFrom: null,
};

/** The answer's message id, made from the run's id: each run has one answer. */
export const answerId = (runId: string): string => `msg_${runId.slice(runId.indexOf("_") + 1)}`;

export function receiptFrom({ kind: _kind, v: _v, ms, ...receipt }: Issued): Receipt {
  return { ...receipt, ms: ms ?? null };
}

export function transcriptOf(
  events: Iterable<Event>,
  from: Transcript = emptyTranscript,
): Transcript {
  let { seq, runs, agentSessionId, contextFrom } = from;
  const draft = new Draft(from);
  for (const event of events) {
    seq = event.seq;
    draft.agentEnd = agentEndOf(draft.agentEnd, event);
    if (Object.hasOwn(folds, event.kind)) {
      (folds[event.kind] as (draft: Draft, event: Event) => void)(draft, event);
    }
    if (event.kind === "agent.ready") {
      agentSessionId = event.agentSessionId ?? agentSessionId;
      contextFrom = event.contextFrom ?? null;
      draft.readySeq = seq;
    }
    runs = foldRuns(runs, event, agentSessionId, contextFrom);
    if (event.kind === "attempt.accepted") contextFrom = null;
  }
  const { messages, receipts, agentEnd, readySeq } = draft;
  const folded = { seq, messages, receipts, runs, agentSessionId, contextFrom };
  return {
    ...folded,
    ...(agentEnd === undefined ? {} : { agentEnd }),
    ...(readySeq === undefined ? {} : { readySeq }),
  };
}

type Messages = readonly Message[];
type Folds = {
  readonly [K in EventKind]?: (draft: Draft, event: Stamped<EventOf<K>>) => void;
};

/**
 * Messages during a fold of many events. A list is copied once, at its first write, so that an
 * answer of a million parts costs no more than its parts.
 */
class Draft {
  #messages: Messages;
  /** The same list once it is an own copy; null before the first write. */
  #own: Message[] | null = null;
  readonly #ownParts = new WeakSet<readonly Part[]>();
  receipts: readonly Receipt[];
  agentEnd: AgentEnd | null | undefined;
  readySeq: number | undefined;

  constructor({ messages, receipts, agentEnd, readySeq }: Transcript) {
    this.#messages = messages;
    this.receipts = receipts;
    this.agentEnd = agentEnd;
    this.readySeq = readySeq;
  }

  get messages(): Messages {
    return this.#messages;
  }

  add(message: Message): void {
    this.#write().push(message);
  }

  change(change: (message: Message) => Message): void {
    const messages = this.#write();
    for (const [at, message] of messages.entries()) messages[at] = change(message);
  }

  changeAnswer(runId: string, change: (message: Message) => Message): void {
    this.changeAt(this.#answerAt(runId), change);
  }

  changeAt(at: number, change: (message: Message) => Message): void {
    const message = this.#messages[at];
    if (message !== undefined) this.#write()[at] = change(message);
  }

  /**
   * The parts of a run's answer, to be changed in place; a throw-away list if the run has no
   * answer.
   */
  parts(runId: string): Part[] {
    return this.partsAt(this.#answerAt(runId));
  }

  partsAt(at: number): Part[] {
    const message = this.#messages[at];
    if (message === undefined) return [];
    const { contentParts } = message;
    if (this.#ownParts.has(contentParts)) return contentParts as Part[];
    const copy = [...contentParts];
    this.#ownParts.add(copy);
    this.#write()[at] = { ...message, contentParts: copy };
    return copy;
  }

  #answerAt(runId: string): number {
    return this.#messages.findLastIndex((m) => m.role === "assistant" && m.runId === runId);
  }

  #write(): Message[] {
    this.#own ??= [...this.#messages];
    this.#messages = this.#own;
    return this.#own;
  }
}

function end(
  draft: Draft,
  { runId, seq: endSeq, ts: endedAt }: { runId: string; seq: number; ts: string },
  status: MessageStatus,
  errorMessage: string | null = null,
  more: Pick<Message, "agentEnd" | "interruption"> = {},
): void {
  const ended = { status, errorMessage, endSeq, endedAt, ...more };
  draft.changeAnswer(runId, (message) => ({ ...message, ...ended }));
}

/**
 * Adds output between turns: the end of a call to that call, late output of a run that was cut off
 * to that run's answer, and any other to a message of its own, which ends when another follows.
 */
function spoken(draft: Draft, event: Stamped<EventOf<"agent.spoke">>): void {
  const before = draft.messages.findLastIndex(
    ({ role, status }) => role === "assistant" && status !== "running",
  );
  const end = lateEndOf(event);
  if (end !== null && isCalled(draft.messages[before], end.toolCallId)) {
    onTool(draft.partsAt(before), end.toolCallId, (tool) => finishedLate(tool, end));
  } else if (isLate(draft, draft.messages[before], event)) {
    addSpoken(draft.partsAt(before), event);
  } else {
    const last = draft.messages.at(-1);
    if (last?.role !== "assistant" || last.runId !== null) draft.add(between(event));
    const at = draft.messages.length - 1;
    addSpoken(draft.partsAt(at), event);
    draft.changeAt(at, (message) => ({ ...message, endSeq: event.seq }));
  }
}

function isCalled(answer: Message | undefined, toolCallId: string): boolean {
  const parts = answer?.contentParts ?? [];
  return parts.some((part) => part.type === "tool" && part.toolCallId === toolCallId);
}

/** True for output of the agent that gave this cut-off answer; an agent started since is another. */
function isLate(
  { receipts, readySeq }: Draft,
  answer: Message | undefined,
  { recovered }: EventOf<"agent.spoke">,
): boolean {
  if (answer === undefined || answer.runId === null || recovered === true) return false;
  const { status, endSeq } = answer;
  const restart = receipts.findLast(({ rung }) => rung !== "live" && rung !== "adopted");
  const startSeq = readySeq ?? restart?.seq ?? 0;
  return status !== "completed" && startSeq <= (endSeq ?? 0);
}

function between({ seq, ts }: Stamped<EventOf<"agent.spoke">>): Message {
  return {
    id: `msg_${seq.toString(16).padStart(32, "0")}`,
    role: "assistant",
    runId: null,
    status: "completed",
    errorMessage: null,
    contentParts: [],
    createdAt: ts,
    seq,
    endSeq: seq,
    rewound: false,
  };
}

const folds: Folds = {
  "message.user": (draft, event) =>
    draft.add({
      id: event.messageId,
      role: "user",
      runId: null,
      status: "completed",
      errorMessage: null,
      contentParts: [
        {
          type: "text",
          seq: event.seq,
          text: event.content,
          ...(event.blob === undefined ? {} : { blob: event.blob }),
        },
      ],
      createdAt: event.ts,
      seq: event.seq,
      endSeq: event.seq,
      rewound: false,
    }),
  "run.started": (draft, event) => {
    draft.change((message) =>
      message.id === event.messageId && message.runId === null
        ? { ...message, runId: event.runId }
        : message,
    );
    draft.add({
      id: answerId(event.runId),
      role: "assistant",
      runId: event.runId,
      status: "running",
      errorMessage: null,
      contentParts: [],
      createdAt: event.ts,
      seq: event.seq,
      endSeq: null,
      rewound: false,
    });
  },
  "text.appended": (draft, event) => appendText(draft.parts(event.runId), "text", event),
  "thinking.appended": (draft, event) => appendText(draft.parts(event.runId), "thinking", event),
  "part.added": (draft, event) => addPart(draft.parts(event.runId), event),
  "tool.started": (draft, event) => void draft.parts(event.runId).push(toolOf(event)),
  "tool.updated": (draft, event) =>
    onTool(draft.parts(event.runId), event.toolCallId, (tool) => updated(tool, event)),
  "tool.finished": (draft, event) =>
    onTool(draft.parts(event.runId), event.toolCallId, (tool) => finished(tool, event)),
  "approval.requested": (draft, event) =>
    onTool(draft.parts(event.runId), event.toolCallId, (tool) => ({
      ...tool,
      approval: { id: event.approvalId, decision: null },
    })),
  "approval.decided": (draft, event) => {
    const parts = draft.parts(event.runId);
    for (const [at, part] of parts.entries()) {
      if (part.type !== "tool" || part.approval?.id !== event.approvalId) continue;
      const { decision, by, reason } = event;
      const answer = { decision, by, ...(reason === undefined ? {} : { reason }) };
      parts[at] = { ...part, approval: { ...part.approval, ...answer } };
    }
  },
  "usage.reported": (draft, event) =>
    draft.changeAnswer(event.runId, (message) => ({
      ...message,
      inputTokens: (message.inputTokens ?? 0) + event.inputTokens,
      outputTokens: (message.outputTokens ?? 0) + event.outputTokens,
    })),
  "receipt.issued": (draft, event) => {
    draft.receipts = [...draft.receipts, receiptFrom(event)];
    const at = draft.messages.length - 1;
    if (draft.messages[at]?.status === "running") cutText(draft.partsAt(at), event.seq);
  },
  "attempt.failed": (draft, event) =>
    void draft.parts(event.runId).push({
      type: "notice",
      seq: event.seq,
      code: event.error.code,
      text: event.error.message,
    }),
  "run.completed": (draft, event) => end(draft, event, "completed"),
  "run.failed": (draft, event) => end(draft, event, "error", event.error.message),
  "run.cancelled": (draft, event) => end(draft, event, "cancelled"),
  "run.interrupted": (draft, event) => {
    const { reason } = event;
    const known = endIn(reason, draft.agentEnd);
    const interruption = { reason, ...known };
    end(draft, event, "interrupted", `Interrupted: ${reason}`, { interruption, ...known });
  },
  "agent.spoke": spoken,
  "session.rewound": (draft, event) =>
    draft.change((message) =>
      message.seq > event.toSeq ? { ...message, rewound: true } : message,
    ),
};
