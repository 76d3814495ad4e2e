/** Schemas of messages and their parts, as the transcript folds them and the API shows them. */

import { z } from "zod";
import { json } from "../json.ts";
import { agentEnds, interruptReasons } from "../vocabulary.ts";

const id = z.string();
const time = z.string();
const maybe = <T extends z.ZodType>(shape: T) => shape.nullable();
export const blob = z.object({ hash: z.string(), bytes: z.number().int() });

/** Found in the agent's own session when it was loaded; the host did not receive it live. */
const recovered = z.literal(true).exactOptional();

const place = z.number().int();

/** The attempt that produced the text; absent for output between turns. */
const attempt = z.number().int().exactOptional();

export const partShape = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("text"),
    seq: place,
    text: z.string(),
    attempt,
    blob: blob.exactOptional(),
    recovered,
    cuts: z
      .array(z.object({ seq: place, at: z.number().int() }))
      .readonly()
      .exactOptional(),
  }),
  z.object({ type: z.literal("thinking"), seq: place, text: z.string(), attempt }),
  z.object({
    type: z.literal("tool"),
    seq: place,
    toolCallId: z.string(),
    name: z.string(),
    input: json,
    status: z.enum([
      "running",
      "completed",
      "failed",
      "denied",
      "cancelled",
      "unknown",
      "not_started",
    ]),
    output: z.string(),
    /** Null when the start, or the end, was not seen; `endedAt` also while the call runs. */
    startedAt: maybe(time),
    endedAt: maybe(time),
    delegates: z.literal(true).exactOptional(),
    inputBlob: blob.exactOptional(),
    outputBlob: blob.exactOptional(),
    approval: z
      .object({
        id,
        decision: maybe(z.string()),
        by: z.string().exactOptional(),
        reason: z.string().exactOptional(),
      })
      .exactOptional(),
    recovered,
  }),
  z.object({ type: z.literal("notice"), seq: place, code: z.string(), text: z.string() }),
  z.object({
    type: z.literal("other"),
    seq: place,
    part: z.record(z.string(), json),
    recovered: z.boolean(),
  }),
]);

export const messageShape = z.object({
  id,
  role: z.enum(["user", "assistant"]),
  runId: maybe(id),
  status: z.enum(["running", "completed", "cancelled", "error", "interrupted"]),
  errorMessage: maybe(z.string()),
  /** The reason of an interrupted answer, and how its agent ended if that is known. */
  interruption: z
    .object({
      reason: z.enum(interruptReasons),
      agentEnd: z.enum(agentEnds).exactOptional(),
    })
    .exactOptional(),
  agentEnd: z.enum(agentEnds).exactOptional(),
  contentParts: z.array(partShape),
  createdAt: time,
  seq: z.number().int(),
  /** The seq of the event that ended the message; null while it goes on. */
  endSeq: maybe(z.number().int()),
  /** The time of that event. */
  endedAt: time.exactOptional(),
  inputTokens: z.number().int().exactOptional(),
  outputTokens: z.number().int().exactOptional(),
  /** True when the session was rewound to before this message, which is still shown. */
  rewound: z.boolean(),
});

export type PartShape = z.infer<typeof partShape>;
export type MessageView = z.infer<typeof messageShape>;
