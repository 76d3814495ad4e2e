/**
 * Claude's output in one turn, as updates. Text comes twice, first in pieces and then as whole
 * blocks, and is sent once; a block that never came in pieces is sent when it comes whole.
 */

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { isObject, type JsonObject, objectAt, textOf } from "../acp/acp-shape.ts";
import { textContent } from "../acp/text-content.ts";
import { type ClaudeMessage, messageOf, type Words, wordsIn } from "./message.ts";
import { titleOf, toolCallOf, toolCutOff, toolResultOf } from "./tools.ts";

interface Streamed {
  readonly answer: string | null;
  readonly type: Words;
  readonly text: string;
}

export class Speech {
  /** Blocks that came in pieces and have not come whole yet, by their index in the answer. */
  readonly #streamed = new Map<unknown, Streamed>();
  readonly #open = new Set<string>();
  readonly #known = new Set<string>();
  /** Calls of subagents, by the call that started the subagent. */
  readonly #below = new Map<string, string[]>();
  #answer: string | null = null;

  hear(said: unknown): SessionUpdate[] {
    if (isObject(said) && said.type === "stream_event") return this.#piece(said);
    const message = messageOf(said);
    if (message === null || message.isError) return [];
    if (message.parent !== null) return this.#fromBelow(message, message.parent);
    return message.blocks.flatMap((block) => this.#block(message, block));
  }

  /** Updates that mark the open calls as failed, with a reason. */
  cutOff(words: string): SessionUpdate[] {
    const open = [...this.#open];
    this.#open.clear();
    return open.map((id) => ({
      sessionUpdate: "tool_call_update",
      ...toolCutOff(id, words),
    }));
  }

  #piece(said: JsonObject): SessionUpdate[] {
    const event = objectAt(said, "event");
    if (event === null || textOf(said.parent_tool_use_id) !== null) return [];
    if (event.type === "message_start") {
      this.#answer = textOf(objectAt(event, "message")?.id);
      this.#streamed.clear();
      return [];
    }
    const delta = event.type === "content_block_delta" ? objectAt(event, "delta") : null;
    const type = delta?.type === "text_delta" ? "text" : "thinking";
    const words = delta === null ? null : wordsIn({ ...delta, type });
    if (words === null || words.text === "") return [];
    const block = this.#streamed.get(event.index) ?? { answer: this.#answer, type, text: "" };
    this.#streamed.set(event.index, { ...block, text: block.text + words.text });
    return [chunk(type, words.text)];
  }

  #block({ type, answer }: ClaudeMessage, block: JsonObject): SessionUpdate[] {
    if (type === "user") return this.#result(block);
    const words = wordsIn(block);
    if (words !== null) {
      const text = this.#untold(answer, words);
      return text === "" ? [] : [chunk(words.type, text)];
    }
    const id = block.type === "tool_use" ? textOf(block.id, 500) : null;
    if (id === null || this.#known.has(id)) return [];
    this.#known.add(id);
    this.#open.add(id);
    const call = toolCallOf(id, textOf(block.name) ?? "tool", block.input);
    return [{ sessionUpdate: "tool_call", ...call }];
  }

  #result(block: JsonObject): SessionUpdate[] {
    const id = block.type === "tool_result" ? textOf(block.tool_use_id, 500) : null;
    if (id === null) return [];
    this.#open.delete(id);
    return [{ sessionUpdate: "tool_call_update", ...toolResultOf(id, block) }];
  }

  /** The part of a whole block that has not been streamed before. */
  #untold(answer: string | null, { type, text }: { type: Words; text: string }): string {
    for (const [index, streamed] of this.#streamed) {
      if (streamed.answer !== answer || streamed.type !== type) continue;
      this.#streamed.delete(index);
      return text.startsWith(streamed.text) ? text.slice(streamed.text.length) : "";
    }
    return text;
  }

  /** Shows a subagent's calls in the call that started it. */
  #fromBelow({ blocks }: ClaudeMessage, parent: string): SessionUpdate[] {
    const calls = blocks.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return [];
    const lines = this.#below.get(parent) ?? [];
    lines.push(
      ...calls.map(({ name, input }) =>
        titleOf(textOf(name) ?? "tool", isObject(input) ? input : {}),
      ),
    );
    this.#below.set(parent, lines);
    const content = [textContent(lines.join("\n"))];
    return [
      { sessionUpdate: "tool_call_update", toolCallId: parent, status: "in_progress", content },
    ];
  }
}

function chunk(type: Words, text: string): SessionUpdate {
  const sessionUpdate = type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
  return { sessionUpdate, content: { type: "text", text } };
}
