/** The memory of one session: append-only JSON lines, so a kill loses only an unfinished line. */

import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import type {
  ContentBlock,
  SessionUpdate,
  ToolCall,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { requestIn } from "./words.ts";

export function textOfPrompt(prompt: readonly ContentBlock[]): string {
  return prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

export type Entry =
  | { readonly type: "opened"; readonly pid: number; readonly cwd: string }
  | { readonly type: "user"; readonly prompt: ContentBlock[] }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_started"; readonly call: ToolCall }
  | { readonly type: "tool_finished"; readonly update: ToolCallUpdate }
  | { readonly type: "always_allowed"; readonly command: string }
  | { readonly type: "ended"; readonly how: "end_turn" | "cancelled" }
  | { readonly type: "failed"; readonly code: string }
  /** `/forget`: the next load appends `forgotten`. */
  | { readonly type: "forget" }
  /** From here on the agent knows only the first part of the earlier entries. */
  | { readonly type: "forgotten" };

/** Share of the entries that survives `/forget`. */
const KEPT = 0.4;

export class Transcript {
  readonly path: string;
  #entries: Entry[];

  private constructor(path: string, entries: Entry[]) {
    this.path = path;
    this.#entries = entries;
  }

  static create(path: string): Transcript {
    return new Transcript(path, []);
  }

  static load(path: string): Transcript | null {
    if (!existsSync(path)) return null;
    const transcript = new Transcript(path, readEntries(path));
    if (forgets(transcript.#entries)) transcript.append({ type: "forgotten" });
    transcript.#entries = remembered(transcript.#entries);
    return transcript;
  }

  append(entry: Entry): void {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    this.#entries.push(entry);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get prompts(): number {
    return this.#entries.filter((entry) => entry.type === "user").length;
  }

  /** The same, but a request that is repeated before it was answered counts once. */
  get turns(): number {
    let unanswered: Entry | undefined;
    return this.#entries.filter((entry) => {
      const isNew = entry.type === "user" && !asksSame(unanswered, entry);
      if (entry.type === "user") unanswered = entry;
      if (entry.type === "ended") unanswered = undefined;
      return isNew;
    }).length;
  }

  alwaysAllows(command: string): boolean {
    return this.#entries.some(
      (entry) => entry.type === "always_allowed" && entry.command === command,
    );
  }

  /** Number of consecutive failures with this code for the current request. */
  failuresInARow(code: string): number {
    const ends = this.#entries.filter((entry) => entry.type === "user" || entry.type === "failed");
    const current = ends.pop();
    let count = 0;
    while (ends.length > 0) {
      const [failed, asked] = [ends.pop(), ends.pop()];
      if (failed?.type !== "failed" || failed.code !== code || !asksSame(asked, current)) break;
      count += 1;
    }
    return count;
  }
}

export function replayOfEntry(entry: Entry): SessionUpdate[] {
  switch (entry.type) {
    case "user":
      return entry.prompt.map((content) => ({ sessionUpdate: "user_message_chunk", content }));
    case "text":
      return [
        { sessionUpdate: "agent_message_chunk", content: { type: "text", text: entry.text } },
      ];
    case "tool_started":
      return [{ sessionUpdate: "tool_call", ...entry.call }];
    case "tool_finished":
      return [{ sessionUpdate: "tool_call_update", ...entry.update }];
    default:
      return [];
  }
}

function readEntries(path: string): Entry[] {
  const bytes = readFileSync(path);
  // A line without its newline was cut off by a kill; the next line must not be joined to it.
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) truncateSync(path, whole);
  return bytes
    .toString("utf8", 0, whole)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
}

function forgets(entries: readonly Entry[]): boolean {
  const last = entries.findLast((entry) => entry.type === "forget" || entry.type === "forgotten");
  return last?.type === "forget";
}

function remembered(entries: readonly Entry[]): Entry[] {
  const memory: Entry[] = [];
  for (const entry of entries) {
    if (entry.type === "forgotten") memory.length = Math.floor(memory.length * KEPT);
    else if (entry.type !== "opened" && entry.type !== "forget") memory.push(entry);
  }
  return memory;
}

/** True when two prompts make the same request; a host that continues a run wraps it. */
function asksSame(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a?.type !== "user" || b?.type !== "user") return false;
  const [before, now] = [a, b].map(({ prompt }) => requestIn(textOfPrompt(prompt)).trim());
  return before === now;
}
