/** The wire format of Anthropic Messages. */

import type { Asked, Entry, Schema } from "./conversation.ts";
import type { Part } from "./script.ts";
import { type Frame, piecesOf, tokens, type Wire } from "./wire.ts";

interface Request {
  readonly system?: string | readonly Block[];
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly name: string; readonly input_schema?: Schema }[];
}

interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly Block[];
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content?: Message["content"];
    }
  | { readonly type: "thinking" | "image" };

const stopReasons = { end: "end_turn", tool: "tool_use", refusal: "refusal" } as const;
const OVERLOADED = 529;
const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  429: "rate_limit_error",
  [OVERLOADED]: "overloaded_error",
};

export const anthropic: Wire = {
  name: "anthropic",
  matches: (path) => path === "/v1/messages",
  read,
  frames: ({ parts, stop }, newId) => [
    frame("message_start", {
      message: {
        id: `msg_${newId()}`,
        type: "message",
        role: "assistant",
        model: "fake",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: tokens.input, output_tokens: 1 },
      },
    }),
    ...parts.flatMap((part, index) => blockFrames(part, index, newId)),
    frame("message_delta", {
      delta: { stop_reason: stopReasons[stop], stop_sequence: null },
      usage: { output_tokens: tokens.output },
    }),
    frame("message_stop", {}),
  ],
  failure: ({ why }) => {
    const status = why === "overloaded" ? OVERLOADED : why;
    const type = errorTypes[status] ?? "api_error";
    return { status, body: { type: "error", error: { type, message: `asked for: ${why}` } } };
  },
};

function blockFrames(part: Part, index: number, newId: () => string): Frame[] {
  const block =
    "text" in part
      ? { type: "text", text: "" }
      : { type: "tool_use", id: `toolu_${newId()}`, name: part.call.name, input: {} };
  const deltas =
    "text" in part
      ? piecesOf(part.text).map((text) => ({ type: "text_delta", text }))
      : [{ type: "input_json_delta", partial_json: JSON.stringify(part.call.input) }];
  return [
    frame("content_block_start", { index, content_block: block }),
    ...deltas.map((delta): Frame => {
      const sent = frame("content_block_delta", { index, delta });
      return "text" in part ? { ...sent, isPiece: true } : sent;
    }),
    frame("content_block_stop", { index }),
  ];
}

const frame = (type: string, rest: object): Frame => ({ event: type, data: { type, ...rest } });

function read(body: unknown): Asked {
  const { system = [], messages, tools = [] } = body as Request;
  return {
    conversation: [{ role: "system", content: system } as const, ...messages].flatMap(entriesOf),
    tools: tools.map(({ name, input_schema = {} }) => ({ name, schema: input_schema })),
  };
}

function entriesOf({ role, content }: Message): Entry[] {
  return blocksOf(content).flatMap((block): Entry[] => {
    if (block.type === "text") return [{ role, text: block.text }];
    if (block.type === "tool_use") {
      const { id, name, input } = block;
      return [{ role: "assistant", toolCall: { id, name, input } }];
    }
    if (block.type !== "tool_result") return [];
    return [
      { role: "tool", toolResult: { id: block.tool_use_id, text: resultText(block.content) } },
    ];
  });
}

const blocksOf = (content: Message["content"]): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

const resultText = (content: Message["content"] = ""): string =>
  blocksOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("");
