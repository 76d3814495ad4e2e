/** The wire format of OpenAI Chat Completions, which most other providers also accept. */

import type { Asked, Entry, Schema } from "./conversation.ts";
import { failure } from "./openai-errors.ts";
import type { Said } from "./script.ts";
import { type Frame, parsed, piecesOf, tokens, type Wire } from "./wire.ts";

interface Request {
  readonly messages: readonly Message[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly parameters?: Schema };
  }[];
}

type Content = string | null | readonly { readonly type: string; readonly text?: string }[];

interface Message {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: Content;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

const finishReasons = { end: "stop", tool: "tool_calls", refusal: "content_filter" } as const;

export const chat: Wire = {
  name: "chat",
  matches: (path) => path === "/v1/chat/completions",
  read,
  frames,
  failure,
};

function frames({ parts, stop }: Said, newId: () => string): Frame[] {
  const id = `chatcmpl-${newId()}`;
  const chunk = (choices: readonly object[], rest: object = {}): Frame => ({
    data: { id, object: "chat.completion.chunk", created: 0, model: "fake", choices, ...rest },
  });
  const delta = (said: object, reason: string | null = null) =>
    chunk([{ index: 0, delta: said, finish_reason: reason }]);
  const texts = parts.flatMap((part) => ("text" in part ? piecesOf(part.text) : []));
  const calls = parts.flatMap((part) => ("call" in part ? [part.call] : []));
  return [
    delta({ role: "assistant", content: "" }),
    ...texts.map((content): Frame => ({ ...delta({ content }), isPiece: true })),
    ...calls.map(({ name, input }, index) => {
      const call = { name, arguments: JSON.stringify(input) };
      const id = `call_${newId()}`;
      return delta({ tool_calls: [{ index, id, type: "function", function: call }] });
    }),
    delta({}, finishReasons[stop]),
    chunk([], {
      usage: {
        prompt_tokens: tokens.input,
        completion_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
      },
    }),
    { data: "[DONE]" },
  ];
}

function read(body: unknown): Asked {
  const { messages, tools = [] } = body as Request;
  return {
    conversation: messages.flatMap(entriesOf),
    tools: tools.map(({ function: { name, parameters = {} } }) => ({ name, schema: parameters })),
  };
}

function entriesOf({ role, content, tool_call_id, tool_calls = [] }: Message): Entry[] {
  const text = plain(content);
  if (role === "tool") return [{ role, toolResult: { id: tool_call_id ?? "", text } }];
  const said = text === "" ? [] : [{ role: role === "developer" ? "system" : role, text } as const];
  const calls = tool_calls.map(
    ({ id, function: { name, arguments: input } }): Entry => ({
      role: "assistant",
      toolCall: { id, name, input: parsed(input) },
    }),
  );
  return [...said, ...calls];
}

const plain = (content: Content = ""): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
