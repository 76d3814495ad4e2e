/**
 * The updates an agent replays while it loads its session. They are compared with the journal and
 * then dropped. A replay is hostile input like all agent output, and bounded.
 */

import { type Json, type Output, RECOVERED_TEXT, type RecoveredPart } from "@holdfast/protocol";
import type { Frame } from "../../holder/spool/frames.ts";
import {
  callIdOf,
  cut,
  isObject,
  type JsonObject,
  jsonText,
  objectAt,
  readable,
} from "./acp-shape.ts";
import { KnownTools, toolOutput } from "./acp-tools.ts";

export type Replayed =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "agent"; readonly text: string }
  | ReplayedCall;

/** A call in the form in which the journal would recover it. */
export type ReplayedCall = Extract<RecoveredPart, { type: "tool" }>;

/** More entries than any conversation that fits a model. */
const MOST_ENTRIES = 50_000;
/** Limit for all text; the oldest words are dropped first, because the last are compared. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const MOST_INPUT = 8 * 1024;

export class Replay {
  readonly #entries: Replayed[] = [];
  readonly #calls = new Map<string, number>();
  #tools = new KnownTools();
  #characters = 0;
  /** Number of entries, from the first, whose words were dropped. */
  #forgotten = 0;
  #more = Promise.withResolvers<void>();

  /** The entries in order; consecutive text chunks are joined. */
  get entries(): readonly Replayed[] {
    return this.#entries;
  }

  get more(): Promise<void> {
    return this.#more.promise;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#calls.clear();
    this.#tools = new KnownTools();
    this.#characters = 0;
    this.#forgotten = 0;
  }

  take(frame: Frame): void {
    if (frame.k !== "line" || this.#entries.length >= MOST_ENTRIES) return;
    const line: unknown = frame.line;
    if (!isObject(line) || line.method !== "session/update") return;
    const update = objectAt(line.params as Json | undefined, "update");
    if (update === null) return;
    this.#update(update);
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }

  #update(update: JsonObject): void {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        this.#text("user", update.content);
        break;
      case "agent_message_chunk":
        this.#text("agent", update.content);
        break;
      case "tool_call":
      case "tool_call_update":
        this.#call(update);
    }
  }

  #text(type: "user" | "agent", content: Json | undefined): void {
    const text = isObject(content) && typeof content.text === "string" ? content.text : "";
    if (text === "" || !this.#hasRoom(text.length)) return;
    const last = this.#entries.at(-1);
    if (last?.type !== type) this.#entries.push({ type, text });
    else this.#entries[this.#entries.length - 1] = { type, text: last.text + text };
  }

  #call(update: JsonObject): void {
    const toolCallId = callIdOf(update.toolCallId);
    if (toolCallId === null) return;
    const at = this.#calls.get(toolCallId) ?? this.#entries.length;
    const known = this.#entries[at];
    const before = known?.type === "tool" ? known : newCall(toolCallId);
    const now = toolOutput(update, this.#tools).reduce(heard, before);
    const call = update.rawInput == null ? now : { ...now, input: inputOf(update.rawInput) };
    this.#calls.set(toolCallId, at);
    this.#entries[at] = this.#hasRoom(sizeOf(call) - sizeOf(before)) ? call : before;
  }

  /** Makes room by dropping the agent's oldest words; false when there is not enough. */
  #hasRoom(characters: number): boolean {
    while (this.#characters + characters > MOST_CHARACTERS) {
      if (this.#forgotten >= this.#entries.length - 1) return false;
      const entry = this.#entries[this.#forgotten];
      if (entry?.type === "agent") {
        this.#characters -= entry.text.length;
        this.#entries[this.#forgotten] = { type: "agent", text: "" };
      }
      this.#forgotten++;
    }
    this.#characters += characters;
    return true;
  }
}

const newCall = (toolCallId: string): ReplayedCall => ({
  type: "tool",
  toolCallId,
  name: "tool",
  input: {},
  status: "unknown",
  output: "",
});

function heard(call: ReplayedCall, said: Output): ReplayedCall {
  switch (said.type) {
    case "tool_started":
      return { ...call, name: said.name };
    case "tool_updated":
      return { ...call, output: cut(call.output + said.output, RECOVERED_TEXT) };
    case "tool_finished": {
      const status = said.status === "completed" ? "completed" : "failed";
      return { ...call, status, output: cut(said.output, RECOVERED_TEXT) };
    }
    default:
      return call;
  }
}

const inputOf = (input: Json): Json => readable(input, MOST_INPUT);

const sizeOf = ({ input, output }: ReplayedCall) => jsonText(input).length + output.length;
