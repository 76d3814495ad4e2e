/** The wire format of Gemini's generateContent. */

import type { Asked, Entry, Schema } from "./conversation.ts";
import type { Said } from "./script.ts";
import { type Frame, piecesOf, tokens, type Wire } from "./wire.ts";

interface Request {
  readonly systemInstruction?: Content;
  readonly contents: readonly Content[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[];
}

interface Content {
  readonly role?: "user" | "model";
  readonly parts: readonly Piece[];
}

interface Piece {
  readonly text?: string;
  /** True for thoughts, which are not part of the answer. */
  readonly thought?: boolean;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: {
    readonly id?: string;
    readonly name: string;
    readonly response: unknown;
  };
}

interface Declaration {
  readonly name: string;
  readonly parameters?: Schema;
  readonly parametersJsonSchema?: Schema;
}

const finishReasons = { end: "STOP", tool: "STOP", refusal: "SAFETY" } as const;
const OVERLOADED = 503;
const statuses: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
  [OVERLOADED]: "UNAVAILABLE",
};

export const gemini: Wire = {
  name: "gemini",
  matches: (path) => /^\/v1(beta)?\/models\/[^/]+:streamGenerateContent$/.test(path),
  read,
  frames,
  failure: ({ why }) => {
    const code = why === "overloaded" ? OVERLOADED : why;
    const status = statuses[code] ?? "INTERNAL";
    return { status: code, body: { error: { code, message: `asked for: ${why}`, status } } };
  },
};

function frames({ parts, stop }: Said, newId: () => string): Frame[] {
  const chunk = (piece: Piece, rest: object = {}): Frame => ({
    data: { candidates: [{ index: 0, content: { role: "model", parts: [piece] }, ...rest }] },
  });
  const last = chunk({ text: "" }, { finishReason: finishReasons[stop] });
  const usageMetadata = {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output,
    totalTokenCount: tokens.input + tokens.output,
  };
  return [
    ...parts.flatMap((part): Frame[] => {
      if ("text" in part) {
        return piecesOf(part.text).map((text) => ({ ...chunk({ text }), isPiece: true }));
      }
      const { name, input } = part.call;
      return [chunk({ functionCall: { id: `call_${newId()}`, name, args: input } })];
    }),
    { data: { ...(last.data as object), usageMetadata } },
  ];
}

function read(body: unknown): Asked {
  const { systemInstruction, contents, tools = [] } = body as Request;
  const system = (systemInstruction?.parts ?? []).map(({ text = "" }) => text).join("");
  return {
    conversation: [{ role: "system", text: system }, ...contents.flatMap(entriesOf)],
    tools: tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parameters, parametersJsonSchema }) => {
        return { name, schema: parametersJsonSchema ?? parameters ?? {} };
      }),
  };
}

function entriesOf({ role, parts }: Content): Entry[] {
  return parts.flatMap(({ text, thought, functionCall, functionResponse }): Entry[] => {
    if (functionCall !== undefined) {
      const { id = "", name, args: input } = functionCall;
      return [{ role: "assistant", toolCall: { id, name, input } }];
    }
    if (functionResponse !== undefined) {
      const { id = "", response } = functionResponse;
      return [{ role: "tool", toolResult: { id, text: JSON.stringify(response) } }];
    }
    if (text === undefined || thought) return [];
    return [{ role: role === "model" ? "assistant" : "user", text }];
  });
}
