/**
 * The transcript: a second fold of the same journal, into messages with content parts. Partial text
 * is always kept; every tool call has at most one result, and the first one stands.
 */

import type { BlobRef, Event, EventKind, EventOf, Json, Stamped } from "./events.ts";
import { recoveredPart } from "./recovered.ts";
import { foldRuns, type RunRecord } from "./run-records.ts";

export interface Transcript {
  readonly seq: number;
  readonly messages: readonly Message[];
  /** What each recovery kept, lost, or may have run twice: kept as long as the messages are. */
  readonly receipts: readonly Receipt[];
  /** Every run there was, oldest first; what each said is in its message. */
  readonly runs: readonly RunRecord[];
  /** The agent's own session as of the last event. */
  readonly agentSessionId: string | null;
  /** The first message, by its seq, that the next prompt tells it. */
  readonly contextFrom: number | null;
}

export type Receipt = Omit<Stamped<EventOf<"receipt.issued">>, "kind" | "v">;

export type MessageStatus = "running" | "completed" | "cancelled" | "error" | "interrupted";

export interface Message {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly runId: string | null;
  readonly status: MessageStatus;
  readonly errorMessage: string | null;
  readonly contentParts: readonly Part[];
  readonly createdAt: string;
  readonly seq: number;
  /** The session was rewound to before this message: shown, but no longer part of the conversation. */
  readonly rewound: boolean;
}

export type Part =
  | {
      readonly type: "text";
      readonly text: string;
      readonly blob?: BlobRef;
      readonly recovered?: true;
    }
  | { readonly type: "thinking"; readonly text: string }
  | ToolPart
  | { readonly type: "notice"; readonly code: string; readonly text: string }
  | {
      readonly type: "other";
      readonly part: Readonly<Record<string, Json>>;
      readonly recovered: boolean;
    };

export interface ToolPart {
  readonly type: "tool";
  readonly toolCallId: string;
  readonly name: string;
  readonly input: Json;
  readonly status: "running" | EventOf<"tool.finished">["status"];
  readonly output: string;
  /** Another agent below it does the work. */
  readonly delegates?: true;
  readonly inputBlob?: BlobRef;
  readonly outputBlob?: BlobRef;
  readonly approval?: { readonly id: string; readonly decision: string | null };
  readonly recovered?: true;
}

function updated(tool: ToolPart, event: EventOf<"tool.updated">): ToolPart {
  const { inputBlob: _before, ...rest } = tool;
  const { name = tool.name, input, blob } = event;
  const output = tool.output + event.output;
  if (input === undefined) return { ...tool, name, output };
  return { ...rest, name, input, output, ...(blob === undefined ? {} : { inputBlob: blob }) };
}

/** Nobody told how it ended: what it had put out by then is all there is. */
const closed = (before: string, word: string) => (before === "" ? word : `${before}\n${word}`);

export const emptyTranscript: Transcript = {
  seq: 0,
  messages: [],
  receipts: [],
  runs: [],
  agentSessionId: null,
  contextFrom: null,
};

/** The answer's message id is made from the run's: one run, one answer, no second id to keep. */
export const answerId = (runId: string): string => `msg_${runId.slice(runId.indexOf("_") + 1)}`;

export function foldTranscript(transcript: Transcript, event: Event): Transcript {
  return transcriptOf([event], transcript);
}

function receiptOf({
  kind: _kind,
  v: _v,
  ...receipt
}: Stamped<EventOf<"receipt.issued">>): Receipt {
  return receipt;
}

export function transcriptOf(
  events: Iterable<Event>,
  from: Transcript = emptyTranscript,
): Transcript {
  let { seq, receipts, runs, agentSessionId, contextFrom } = from;
  const draft = new Draft(from.messages);
  for (const event of events) {
    seq = event.seq;
    if (Object.hasOwn(folds, event.kind)) {
      (folds[event.kind] as (draft: Draft, event: Event) => void)(draft, event);
    }
    if (event.kind === "receipt.issued") receipts = [...receipts, receiptOf(event)];
    if (event.kind === "agent.ready") {
      agentSessionId = event.agentSessionId ?? agentSessionId;
      contextFrom = event.contextFrom ?? null;
    }
    runs = foldRuns(runs, event, agentSessionId, contextFrom);
    if (event.kind === "attempt.accepted") contextFrom = null;
  }
  return { seq, messages: draft.messages, receipts, runs, agentSessionId, contextFrom };
}

type Messages = readonly Message[];
type Folds = {
  readonly [K in EventKind]?: (draft: Draft, event: Stamped<EventOf<K>>) => void;
};

/**
 * Messages while many events are folded in: a list is copied when it is first written to and not for
 * every event, so that an answer of a million parts costs no more than its parts.
 */
class Draft {
  #messages: Messages;
  /** The same list, once it is our own copy. */
  #own: Message[] | null = null;
  readonly #ownParts = new WeakSet<readonly Part[]>();

  constructor(messages: Messages) {
    this.#messages = messages;
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
    const at = this.#answerAt(runId);
    const message = this.#messages[at];
    if (message !== undefined) this.#write()[at] = change(message);
  }

  /** The parts of a run's answer, to be changed in place; an empty list nobody keeps without one. */
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

function appendText(parts: Part[], type: "text" | "thinking", text: string): void {
  const last = parts.at(-1);
  const goesOn = last?.type === type && !("recovered" in last);
  if (goesOn) parts[parts.length - 1] = { ...last, text: last.text + text };
  else parts.push({ type, text });
}

/** Words and calls like any others, but marked; what else there is stays as it came. */
function addRecovered(parts: Part[], found: Readonly<Record<string, Json>>): void {
  const { data: part } = recoveredPart.safeParse(found);
  const last = parts.at(-1);
  if (part === undefined || part.type === "user") {
    parts.push({ type: "other", part: found, recovered: true });
  } else if (part.type === "text" && last?.type === "text" && last.recovered === true) {
    parts[parts.length - 1] = { ...last, text: last.text + part.text };
  } else {
    parts.push({ ...part, recovered: true });
  }
}

function addPart(
  parts: Part[],
  part: Readonly<Record<string, Json>>,
  recovered: boolean | undefined,
): void {
  if (recovered === true) addRecovered(parts, part);
  else parts.push({ type: "other", part, recovered: false });
}

function onTool(parts: Part[], toolCallId: string, change: (tool: ToolPart) => ToolPart): void {
  const at = parts.findLastIndex((part) => part.type === "tool" && part.toolCallId === toolCallId);
  const tool = parts[at];
  if (tool?.type === "tool") parts[at] = change(tool);
}

function end(
  draft: Draft,
  event: { runId: string },
  status: MessageStatus,
  errorMessage: string | null = null,
): void {
  draft.changeAnswer(event.runId, (message) => ({ ...message, status, errorMessage }));
}

/** Words between turns are a message of their own, which goes on until something else is said. */
function spoken(draft: Draft, event: Stamped<EventOf<"agent.spoke">>): void {
  const last = draft.messages.at(-1);
  if (last?.role !== "assistant" || last.runId !== null) {
    const id = `msg_${event.seq.toString(16).padStart(32, "0")}`;
    draft.add({
      ...{ id, role: "assistant", runId: null, status: "completed", errorMessage: null },
      ...{ contentParts: [], createdAt: event.ts, seq: event.seq, rewound: false },
    });
  }
  const parts = draft.partsAt(draft.messages.length - 1);
  if (event.text !== undefined) appendText(parts, "text", event.text);
  if (event.part !== undefined) addPart(parts, event.part, event.recovered);
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
          text: event.content,
          ...(event.blob === undefined ? {} : { blob: event.blob }),
        },
      ],
      createdAt: event.ts,
      seq: event.seq,
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
      rewound: false,
    });
  },
  "text.appended": (draft, event) => appendText(draft.parts(event.runId), "text", event.text),
  "thinking.appended": (draft, event) =>
    appendText(draft.parts(event.runId), "thinking", event.text),
  "part.added": (draft, event) => addPart(draft.parts(event.runId), event.part, event.recovered),
  "tool.started": (draft, event) =>
    void draft.parts(event.runId).push({
      type: "tool",
      toolCallId: event.toolCallId,
      name: event.name,
      input: event.input,
      status: "running",
      output: "",
      ...(event.blob === undefined ? {} : { inputBlob: event.blob }),
      ...(event.delegates === true ? { delegates: true as const } : {}),
    }),
  "tool.updated": (draft, event) =>
    onTool(draft.parts(event.runId), event.toolCallId, (tool) =>
      tool.status === "running" ? updated(tool, event) : tool,
    ),
  "tool.finished": (draft, event) =>
    onTool(draft.parts(event.runId), event.toolCallId, (tool) =>
      tool.status === "running"
        ? {
            ...tool,
            status: event.status,
            output: event.synthetic === true ? closed(tool.output, event.output) : event.output,
            ...(event.blob === undefined ? {} : { outputBlob: event.blob }),
          }
        : tool,
    ),
  "approval.requested": (draft, event) =>
    onTool(draft.parts(event.runId), event.toolCallId, (tool) => ({
      ...tool,
      approval: { id: event.approvalId, decision: null },
    })),
  "approval.decided": (draft, event) => {
    const parts = draft.parts(event.runId);
    for (const [at, part] of parts.entries()) {
      if (part.type !== "tool" || part.approval?.id !== event.approvalId) continue;
      parts[at] = { ...part, approval: { ...part.approval, decision: event.decision } };
    }
  },
  "attempt.failed": (draft, event) =>
    void draft
      .parts(event.runId)
      .push({ type: "notice", code: event.error.code, text: event.error.message }),
  "run.completed": (draft, event) => end(draft, event, "completed"),
  "run.failed": (draft, event) => end(draft, event, "error", event.error.message),
  "run.cancelled": (draft, event) => end(draft, event, "cancelled"),
  "run.interrupted": (draft, event) =>
    end(draft, event, "interrupted", `Interrupted: ${event.reason}`),
  "agent.spoke": (draft, event) => spoken(draft, event),
  "session.rewound": (draft, event) =>
    draft.change((message) =>
      message.seq > event.toSeq ? { ...message, rewound: true } : message,
    ),
};
