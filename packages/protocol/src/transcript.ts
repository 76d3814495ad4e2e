/**
 * The transcript: a second fold of the same journal, into messages with content parts. Partial text
 * is always kept; every tool call has at most one result, and the first one stands.
 */

import {
  type BlobRef,
  type Event,
  type EventKind,
  type EventOf,
  type Json,
  type Outcome,
  outcomeOf,
  type Stamped,
} from "./events.ts";

export interface Transcript {
  readonly seq: number;
  readonly messages: readonly Message[];
  /** What each recovery kept, lost, or may have run twice: kept as long as the messages are. */
  readonly receipts: readonly Receipt[];
  /** Every run there was, oldest first; what each said is in its message. */
  readonly runs: readonly RunRecord[];
}

export interface RunRecord {
  readonly id: string;
  readonly messageId: string;
  readonly continues: string | null;
  readonly outcome: Outcome | null;
  readonly errorMessage: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly attempt: number;
  /** Where it began. */
  readonly seq: number;
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
  | { readonly type: "text"; readonly text: string; readonly blob?: BlobRef }
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
  readonly inputBlob?: BlobRef;
  readonly outputBlob?: BlobRef;
  readonly approval?: { readonly id: string; readonly decision: string | null };
}

export const emptyTranscript: Transcript = { seq: 0, messages: [], receipts: [], runs: [] };

/** The answer's message id is made from the run's: one run, one answer, no second id to keep. */
export const answerId = (runId: string): string => `msg_${runId.slice(runId.indexOf("_") + 1)}`;

export function foldTranscript(transcript: Transcript, event: Event): Transcript {
  const apply = Object.hasOwn(folds, event.kind)
    ? (folds[event.kind] as (messages: Messages, event: Event) => Messages)
    : undefined;
  const messages = apply === undefined ? transcript.messages : apply(transcript.messages, event);
  const receipts =
    event.kind === "receipt.issued"
      ? [...transcript.receipts, receiptOf(event)]
      : transcript.receipts;
  return { seq: event.seq, messages, receipts, runs: foldRuns(transcript.runs, event) };
}

function foldRuns(runs: readonly RunRecord[], event: Event): readonly RunRecord[] {
  switch (event.kind) {
    case "run.started":
      return [
        ...runs,
        {
          id: event.runId,
          messageId: event.messageId,
          continues: event.continues ?? null,
          outcome: null,
          errorMessage: null,
          inputTokens: 0,
          outputTokens: 0,
          startedAt: event.ts,
          completedAt: null,
          attempt: 1,
          seq: event.seq,
        },
      ];
    case "attempt.started":
      return onRecord(runs, event.runId, () => ({ attempt: event.attempt }));
    case "usage.reported":
      return onRecord(runs, event.runId, ({ inputTokens, outputTokens }) => ({
        inputTokens: inputTokens + event.inputTokens,
        outputTokens: outputTokens + event.outputTokens,
      }));
    default: {
      const outcome = outcomeOf(event.kind);
      if (outcome === undefined) return runs;
      const { runId } = event as { runId: string };
      const errorMessage = event.kind === "run.failed" ? event.error.message : null;
      return onRecord(runs, runId, () => ({ outcome, errorMessage, completedAt: event.ts }));
    }
  }
}

function onRecord(
  runs: readonly RunRecord[],
  runId: string,
  change: (record: RunRecord) => Partial<RunRecord>,
): readonly RunRecord[] {
  const at = runs.findLastIndex(({ id }) => id === runId);
  const record = runs[at];
  return record === undefined ? runs : runs.with(at, { ...record, ...change(record) });
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
  let transcript = from;
  for (const event of events) transcript = foldTranscript(transcript, event);
  return transcript;
}

type Messages = readonly Message[];
type Folds = {
  readonly [K in EventKind]?: (messages: Messages, event: Stamped<EventOf<K>>) => Messages;
};

function onAnswer(
  messages: Messages,
  runId: string,
  change: (message: Message) => Message,
): Messages {
  const at = messages.findLastIndex((m) => m.role === "assistant" && m.runId === runId);
  const message = messages[at];
  return message === undefined ? messages : messages.with(at, change(message));
}

function onParts(
  messages: Messages,
  runId: string,
  change: (parts: readonly Part[]) => readonly Part[],
): Messages {
  return onAnswer(messages, runId, (message) => ({
    ...message,
    contentParts: change(message.contentParts),
  }));
}

function appendText(parts: readonly Part[], type: "text" | "thinking", text: string) {
  const last = parts.at(-1);
  return last?.type === type
    ? parts.with(-1, { ...last, text: last.text + text })
    : [...parts, { type, text }];
}

function onTool(
  parts: readonly Part[],
  toolCallId: string,
  change: (tool: ToolPart) => ToolPart,
): readonly Part[] {
  const at = parts.findLastIndex((part) => part.type === "tool" && part.toolCallId === toolCallId);
  const tool = parts[at];
  return tool?.type === "tool" ? parts.with(at, change(tool)) : parts;
}

function end(
  messages: Messages,
  event: { runId: string },
  status: MessageStatus,
  errorMessage: string | null = null,
): Messages {
  return onAnswer(messages, event.runId, (message) => ({ ...message, status, errorMessage }));
}

/** Words between turns are a message of their own, which goes on until something else is said. */
function spoken(messages: Messages, event: Stamped<EventOf<"agent.spoke">>): Messages {
  const last = messages.at(-1);
  const open = last?.role === "assistant" && last.runId === null ? last : null;
  let parts: readonly Part[] = open?.contentParts ?? [];
  if (event.text !== undefined) parts = appendText(parts, "text", event.text);
  if (event.part !== undefined)
    parts = [...parts, { type: "other", part: event.part, recovered: false }];
  if (open !== null) return messages.with(-1, { ...open, contentParts: parts });
  const id = `msg_${event.seq.toString(16).padStart(32, "0")}`;
  return [
    ...messages,
    {
      ...{ id, role: "assistant", runId: null, status: "completed", errorMessage: null },
      ...{ contentParts: parts, createdAt: event.ts, seq: event.seq, rewound: false },
    },
  ];
}

const folds: Folds = {
  "message.user": (messages, event) => [
    ...messages,
    {
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
    },
  ],
  "run.started": (messages, event) => [
    ...messages.map((message) =>
      message.id === event.messageId && message.runId === null
        ? { ...message, runId: event.runId }
        : message,
    ),
    {
      id: answerId(event.runId),
      role: "assistant",
      runId: event.runId,
      status: "running",
      errorMessage: null,
      contentParts: [],
      createdAt: event.ts,
      seq: event.seq,
      rewound: false,
    },
  ],
  "text.appended": (messages, event) =>
    onParts(messages, event.runId, (parts) => appendText(parts, "text", event.text)),
  "thinking.appended": (messages, event) =>
    onParts(messages, event.runId, (parts) => appendText(parts, "thinking", event.text)),
  "part.added": (messages, event) =>
    onParts(messages, event.runId, (parts) => [
      ...parts,
      { type: "other", part: event.part, recovered: event.recovered === true },
    ]),
  "tool.started": (messages, event) =>
    onParts(messages, event.runId, (parts) => [
      ...parts,
      {
        type: "tool",
        toolCallId: event.toolCallId,
        name: event.name,
        input: event.input,
        status: "running",
        output: "",
        ...(event.blob === undefined ? {} : { inputBlob: event.blob }),
      },
    ]),
  "tool.updated": (messages, event) =>
    onParts(messages, event.runId, (parts) =>
      onTool(parts, event.toolCallId, (tool) =>
        tool.status === "running" ? { ...tool, output: tool.output + event.output } : tool,
      ),
    ),
  "tool.finished": (messages, event) =>
    onParts(messages, event.runId, (parts) =>
      onTool(parts, event.toolCallId, (tool) =>
        tool.status === "running"
          ? {
              ...tool,
              status: event.status,
              output: event.output,
              ...(event.blob === undefined ? {} : { outputBlob: event.blob }),
            }
          : tool,
      ),
    ),
  "approval.requested": (messages, event) =>
    onParts(messages, event.runId, (parts) =>
      onTool(parts, event.toolCallId, (tool) => ({
        ...tool,
        approval: { id: event.approvalId, decision: null },
      })),
    ),
  "approval.decided": (messages, event) =>
    onParts(messages, event.runId, (parts) =>
      parts.map((part) =>
        part.type === "tool" && part.approval?.id === event.approvalId
          ? { ...part, approval: { ...part.approval, decision: event.decision } }
          : part,
      ),
    ),
  "attempt.failed": (messages, event) =>
    onParts(messages, event.runId, (parts) => [
      ...parts,
      { type: "notice", code: event.error.code, text: event.error.message },
    ]),
  "run.completed": (messages, event) => end(messages, event, "completed"),
  "run.failed": (messages, event) => end(messages, event, "error", event.error.message),
  "run.cancelled": (messages, event) => end(messages, event, "cancelled"),
  "run.interrupted": (messages, event) =>
    end(messages, event, "interrupted", `Interrupted: ${event.reason}`),
  "agent.spoke": (messages, event) => spoken(messages, event),
  "session.rewound": (messages, event) =>
    messages.map((message) =>
      message.seq > event.toSeq ? { ...message, rewound: true } : message,
    ),
};
