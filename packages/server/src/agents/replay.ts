/**
 * What an agent replays while it loads its session: kept only to be held against the journal, and
 * gone when that is done. It is hostile input like all an agent writes, and bounded.
 */

import type { Json } from "@holdfast/protocol";
import type { Frame } from "../holder/frames.ts";
import { callIdOf, isObject, objectAt } from "./acp-shape.ts";

export type Replayed =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "agent"; readonly text: string }
  | {
      readonly type: "tool";
      readonly toolCallId: string;
    };

/** More than any conversation has that a model could hold. */
const MOST_ENTRIES = 50_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

export class Replay {
  readonly #entries: Replayed[] = [];
  readonly #tools = new Set<string>();
  #characters = 0;

  /** In the order it came; text that came in pieces is one. */
  get entries(): readonly Replayed[] {
    return this.#entries;
  }

  take(frame: Frame): void {
    if (frame.k !== "line" || this.#entries.length >= MOST_ENTRIES) return;
    const line: unknown = frame.line;
    if (!isObject(line) || line.method !== "session/update") return;
    const update = objectAt(line.params as Json | undefined, "update");
    if (update === null) return;
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        this.#text("user", update.content);
        break;
      case "agent_message_chunk":
        this.#text("agent", update.content);
        break;
      case "tool_call":
      case "tool_call_update":
        this.#tool(update.toolCallId);
    }
  }

  #text(type: "user" | "agent", content: Json | undefined): void {
    const text = isObject(content) && typeof content.text === "string" ? content.text : "";
    this.#characters += text.length;
    if (text === "" || this.#characters > MOST_CHARACTERS) return;
    const last = this.#entries.at(-1);
    if (last?.type !== type) this.#entries.push({ type, text });
    else this.#entries[this.#entries.length - 1] = { type, text: last.text + text };
  }

  #tool(id: Json | undefined): void {
    const toolCallId = callIdOf(id);
    if (toolCallId === null || this.#tools.has(toolCallId)) return;
    this.#tools.add(toolCallId);
    this.#entries.push({ type: "tool", toolCallId });
  }
}
