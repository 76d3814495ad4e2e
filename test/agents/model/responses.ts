/** The wire format of OpenAI Responses. */

import type { Asked, Entry, OfferedTool, Schema } from "./conversation.ts";
import { failure } from "./openai-errors.ts";
import type { Part, Said } from "./script.ts";
import { type Frame, parsed, piecesOf, tokens, type Wire } from "./wire.ts";

interface Request {
  readonly instructions?: string | null;
  readonly input: string | readonly Item[];
  readonly tools?: readonly Tool[];
}

interface Tool {
  readonly type: string;
  readonly name?: string;
  readonly parameters?: Schema;
  /** Tools of a namespace. */
  readonly tools?: readonly Tool[];
}

type Content = string | readonly { readonly text?: string }[];

type Item =
  | {
      readonly type?: "message";
      readonly role: "system" | "developer" | "user" | "assistant";
      readonly content: Content;
    }
  | {
      readonly type: "function_call";
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: Content }
  | { readonly type: "reasoning" | "additional_tools" };

export const responses: Wire = {
  name: "responses",
  matches: (path) => path === "/v1/responses",
  read,
  frames,
  failure,
};

/** An event without its sequence number. */
type Unnumbered = { readonly type: string; readonly isPiece?: true } & Readonly<
  Record<string, unknown>
>;

function frames({ parts, stop }: Said, newId: () => string): Frame[] {
  const id = `resp_${newId()}`;
  const response = { id, object: "response", created_at: 0, model: "fake", error: null };
  const begun = { ...response, status: "in_progress", output: [] };
  const items = parts.map((part) => itemOf(part, stop, newId));
  const events: Unnumbered[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    {
      type: "response.completed",
      response: { ...response, status: "completed", output: items, usage },
    },
  ];
  return events.map(({ isPiece, ...event }, sequence_number) => ({
    event: event.type,
    data: { ...event, sequence_number },
    ...(isPiece && { isPiece }),
  }));
}

const usage = {
  input_tokens: tokens.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: tokens.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokens.input + tokens.output,
};

type OutputItem = ReturnType<typeof itemOf>;

function itemOf(part: Part, stop: Said["stop"], newId: () => string) {
  if ("call" in part) {
    return {
      ...({ type: "function_call", id: `fc_${newId()}`, call_id: `call_${newId()}` } as const),
      status: "completed",
      name: part.call.name,
      arguments: JSON.stringify(part.call.input),
    };
  }
  const content =
    stop === "refusal"
      ? { type: "refusal" as const, refusal: part.text }
      : { type: "output_text" as const, text: part.text, annotations: [] };
  return {
    ...({ type: "message", id: `msg_${newId()}`, role: "assistant" } as const),
    status: "completed",
    content: [content],
  };
}

function itemEvents(item: OutputItem, output_index: number): Unnumbered[] {
  const at = { item_id: item.id, output_index };
  const inner = item.type === "message" ? messageEvents(item, at) : callEvents(item, at);
  const empty = item.type === "message" ? { content: [] } : { arguments: "" };
  const added = { ...item, ...empty, status: "in_progress" };
  return [
    { type: "response.output_item.added", output_index, item: added },
    ...inner,
    { type: "response.output_item.done", output_index, item },
  ];
}

type Place = { readonly item_id: string; readonly output_index: number };

function messageEvents(item: OutputItem & { type: "message" }, place: Place): Unnumbered[] {
  return item.content.flatMap((part, content_index): Unnumbered[] => {
    const at = { ...place, content_index };
    const [kind, text] =
      part.type === "refusal" ? ["refusal", part.refusal] : ["output_text", part.text];
    const field = part.type === "refusal" ? "refusal" : "text";
    return [
      { type: "response.content_part.added", ...at, part: { ...part, [field]: "" } },
      ...piecesOf(text).map((delta): Unnumbered => {
        return { type: `response.${kind}.delta`, ...at, delta, isPiece: true };
      }),
      { type: `response.${kind}.done`, ...at, [field]: text },
      { type: "response.content_part.done", ...at, part },
    ];
  });
}

function callEvents(item: OutputItem & { type: "function_call" }, at: Place): Unnumbered[] {
  const type = "response.function_call_arguments";
  return [
    { type: `${type}.delta`, ...at, delta: item.arguments },
    { type: `${type}.done`, ...at, arguments: item.arguments },
  ];
}

function read(body: unknown): Asked {
  const { instructions, input, tools = [] } = body as Request;
  const items: readonly Item[] =
    typeof input === "string" ? [{ role: "user", content: input }] : input;
  return {
    conversation: [
      { role: "system", text: instructions ?? "" } as const,
      ...items.flatMap((item) => entryOf(item) ?? []),
    ],
    tools: tools.flatMap(offered),
  };
}

/** The callable functions, including those inside namespaces. */
function offered({ type, name = "", parameters = {}, tools = [] }: Tool): OfferedTool[] {
  return type === "function" ? [{ name, schema: parameters }] : tools.flatMap(offered);
}

function entryOf(item: Item): Entry | null {
  if (item.type === undefined || item.type === "message") {
    const role = item.role === "developer" ? "system" : item.role;
    return { role, text: plain(item.content) };
  }
  if (item.type === "function_call") {
    const { call_id: id, name, arguments: input } = item;
    return { role: "assistant", toolCall: { id, name, input: parsed(input) } };
  }
  if (item.type !== "function_call_output") return null;
  return { role: "tool", toolResult: { id: item.call_id, text: plain(item.output) } };
}

const plain = (content: Content): string =>
  typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
