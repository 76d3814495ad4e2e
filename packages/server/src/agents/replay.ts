/**
 * What an agent replays while it loads its session: kept only to be held against the journal, and
 * gone when that is done. It is hostile input like all an agent writes, and bounded.
 */

import type { Json } from "@holdfast/protocol";
import type { Frame } from "../holder/frames.ts";
import { callIdOf, isObject, objectAt, textOf } from "./acp-shape.ts";

export type Replayed =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "agent"; readonly text: string }
  | {
      readonly type: "tool";
      readonly toolCallId: string;
      readonly title: string;
      /** False when the replay leaves it open. */
      readonly isOver: boolean;
    };

/** More than any conversation has that a model could hold. */
const MOST_ENTRIES = 50_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

const over = new Set<unknown>(["completed", "failed"]);

export class Replay {
  readonly #entries: Replayed[] = [];
  readonly #tools = new Map<string, number>();
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
        this.#tool(update.toolCallId, textOf(update.title) ?? "", over.has(update.status));
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

  #tool(id: Json | undefined, title: string, isOver: boolean): void {
    const toolCallId = callIdOf(id);
    if (toolCallId === null) return;
    const at = this.#tools.get(toolCallId);
    const known = at === undefined ? undefined : this.#entries[at];
    if (at === undefined || known?.type !== "tool") {
      this.#tools.set(toolCallId, this.#entries.length);
      this.#entries.push({ type: "tool", toolCallId, title, isOver });
    } else {
      this.#entries[at] = { ...known, title: known.title || title, isOver: known.isOver || isOver };
    }
  }
}
