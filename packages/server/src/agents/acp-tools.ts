/**
 * Tool calls of an ACP agent. An update replaces what the call showed before, and some agents update
 * calls they never announced; the journal wants one start, additions, and one result.
 */

import type { Json, Output, Part } from "@holdfast/protocol";
import {
  callIdOf,
  cut,
  handsOn,
  hashOf,
  isObject,
  type JsonObject,
  jsonText,
  readable,
  textOf,
  toolNameOf,
  unreadable,
} from "./acp-shape.ts";

/** What a call has shown so far: enough to tell what is new, and to repeat it if it is not huge. */
interface Shown {
  readonly length: number;
  readonly hash: string;
  readonly beginning: string;
}

export interface KnownTool {
  readonly toolName: string;
  /** The journal has only what people see: then its name is that, until the agent says it again. */
  readonly isTitle: boolean;
  /** As people see it. */
  readonly name: string;
  /** As JSON text, whose size is known; an agent must not choose how many objects are kept. */
  readonly input: string;
  /** Content and locations as JSON text, of a call whose input the agent does not send. */
  readonly described: string;
  readonly shown: Shown;
  /** Shown by an earlier host: the journal may have only previews of it. */
  readonly adopted: boolean;
  /** The hash of each diff that was added, by the hash of its place. */
  readonly diffs: ReadonlyMap<string, string>;
}

export const toolLimits = {
  /** Of one call's input, and of what it has shown. */
  bytes: 64 * 1024,
  /** Of everything that is known of open calls. */
  allBytes: 8 * 1024 * 1024,
  open: 512,
  finished: 4096,
  /** In one update: the journal takes only so much at once. */
  diffs: 200,
  /** Of one diff, which has a file's whole text before and after. */
  diffBytes: 16 * 1024 * 1024,
} as const;

const nothingShown = shownOf("");

/** The calls of the current turn, by their id. */
export class KnownTools {
  readonly #open = new Map<string, KnownTool>();
  readonly #over = new Set<string>();
  #bytes = 0;

  /** After an adoption: what the journal knows of the calls of the run that goes on. */
  static of(parts: readonly Part[]): KnownTools {
    const tools = new KnownTools();
    for (const part of parts) {
      if (part.type === "other") tools.#adoptDiff(part.part);
      if (part.type !== "tool") continue;
      const { toolCallId, name, output, status } = part;
      if (status !== "running") tools.finish(toolCallId);
      else {
        const blob = part.inputBlob;
        // A preview is not what would be allowed.
        const input = blob ? unreadable("larger than the journal shows", blob.hash) : part.input;
        const title = cut(name, 200);
        const known = { toolName: title, name: title, input: inputText(input), adopted: true };
        tools.set(toolCallId, {
          ...known,
          ...{ isTitle: true, described: "{}" },
          shown: shownOf(output),
          diffs: new Map(),
        });
      }
    }
    return tools;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  get(id: string): KnownTool | undefined {
    return this.#open.get(id);
  }

  isOver(id: string): boolean {
    return this.#over.has(id);
  }

  set(id: string, tool: KnownTool): void {
    this.#bytes += sizeOf(tool) - sizeOf(this.#open.get(id));
    this.#open.set(id, tool);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= toolLimits.open && this.#bytes <= toolLimits.allBytes) break;
      this.#forget(oldest);
    }
  }

  /** Of a call that is over nothing is kept but that. */
  finish(id: string): void {
    this.#forget(id);
    this.#over.add(id);
    for (const oldest of this.#over) {
      if (this.#over.size <= toolLimits.finished) break;
      this.#over.delete(oldest);
    }
  }

  clear(): void {
    this.#open.clear();
    this.#over.clear();
    this.#bytes = 0;
  }

  #forget(id: string): void {
    this.#bytes -= sizeOf(this.#open.get(id));
    this.#open.delete(id);
  }

  #adoptDiff(part: JsonObject): void {
    const id = callIdOf(part.toolCallId);
    const tool = id === null ? undefined : this.#open.get(id);
    if (id === null || tool === undefined || part.type !== "diff") return;
    this.set(id, { ...tool, diffs: changedDiffs([part], tool.diffs).known });
  }
}

export function toolOutput(update: JsonObject, tools: KnownTools): Output[] {
  const toolCallId = callIdOf(update.toolCallId);
  if (toolCallId === null || tools.isOver(toolCallId)) return [];
  const known = tools.get(toolCallId);
  const toolName = nameOf(update, known);
  const name = textOf(update.title) ?? known?.name ?? toolName;
  const content = Array.isArray(update.content) ? update.content.filter(isObject) : null;
  const now = content === null ? null : textIn(content);
  const output: Output[] = [];
  if (known === undefined) {
    const input = readable(update.rawInput ?? {});
    const mark = handsOn(update) ? { delegates: true as const } : {};
    output.push({ type: "tool_started", toolCallId, name, input, gated: false, ...mark });
  }
  const news = known === undefined ? {} : newsOf(update, name, known);
  const diffs = changedDiffs(diffsIn(content ?? [], toolCallId), known?.diffs ?? new Map());
  output.push(...diffs.changed.map((part) => ({ type: "part" as const, part })));
  const before = known?.shown ?? nothingShown;
  if (update.status === "completed" || update.status === "failed") {
    if (Object.keys(news).length > 0) {
      output.push({ type: "tool_updated", toolCallId, output: "", ...news });
    }
    const result = resultOf(now, before, update.rawOutput);
    output.push({ type: "tool_finished", toolCallId, status: update.status, output: result });
    tools.finish(toolCallId);
    return output;
  }
  const goesOn = now === null || begins(now, before);
  const silent = !goesOn && known?.adopted === true;
  const added = now === null || silent ? "" : goesOn ? now.slice(before.length) : `\n${now}`;
  if (added !== "" || Object.keys(news).length > 0) {
    output.push({ type: "tool_updated", toolCallId, output: added, ...news });
  }
  const input =
    update.rawInput == null || (known !== undefined && isEmpty(update.rawInput))
      ? (known?.input ?? "{}")
      : inputText(update.rawInput);
  tools.set(toolCallId, {
    toolName,
    isTitle: known?.isTitle === true && toolNameOf(update) === null,
    name,
    input,
    described: input === "{}" ? describedBy(update, known) : "{}",
    shown: now === null || silent ? before : shownOf(now),
    // What it shows goes on where the journal's text ends: nothing of that was a preview.
    adopted: known?.adopted === true && (now === null || silent),
    diffs: diffs.known,
  });
  return output;
}

/** What it is, once it has been said: a question or an update may tell only how it looks. */
export function nameOf(call: JsonObject, known: KnownTool | undefined): string {
  const said = toolNameOf(call);
  return (known === undefined || known.isTitle ? said : null) ?? known?.toolName ?? said ?? "tool";
}

/**
 * Agents announce a call before they know what it is for: its name and its input come later, and with
 * them what really ran.
 */
function newsOf(
  { rawInput }: JsonObject,
  name: string,
  known: KnownTool,
): { name?: string; input?: Json } {
  const isNew = rawInput != null && !isEmpty(rawInput) && inputText(rawInput) !== known.input;
  return {
    ...(name === known.name ? {} : { name }),
    ...(isNew ? { input: readable(rawInput) } : {}),
  };
}

export const isEmpty = (input: Json) => isObject(input) && Object.keys(input).length === 0;

/** What an open call was started with, for a question that does not repeat it. */
export function knownInput(tool: KnownTool | undefined): Json | undefined {
  return tool === undefined ? undefined : (JSON.parse(tool.input) as Json);
}

/** The description of an open call, for a question that does not repeat it. */
export function knownDescription(tool: KnownTool | undefined): JsonObject {
  return tool === undefined ? {} : (JSON.parse(tool.described) as JsonObject);
}

/** Content and locations, as an update replaces them. */
export function descriptionIn({ content, locations }: JsonObject): JsonObject {
  return {
    ...(Array.isArray(content) ? { content } : {}),
    ...(Array.isArray(locations) ? { locations } : {}),
  };
}

function describedBy(update: JsonObject, known: KnownTool | undefined): string {
  const described = { ...knownDescription(known), ...descriptionIn(update) };
  return jsonText(readable(described, toolLimits.bytes));
}

function inputText(input: Json): string {
  return jsonText(readable(input, toolLimits.bytes));
}

function shownOf(text: string): Shown {
  return { length: text.length, hash: hashOf(text), beginning: cut(text, toolLimits.bytes) };
}

function begins(text: string, shown: Shown): boolean {
  return text.length >= shown.length && hashOf(text.slice(0, shown.length)) === shown.hash;
}

/** A result stands for all that was shown: one that only says "done" must not empty it. */
function resultOf(now: string | null, { length, beginning }: Shown, raw: Json | undefined): string {
  if (now !== null && now !== "") return now;
  const rawText =
    raw === undefined || raw === null ? "" : typeof raw === "string" ? raw : jsonText(raw);
  if (now === "" || length === 0) return rawText;
  const missing = length - beginning.length;
  if (missing <= 0) return beginning;
  return rawText || `${beginning}\n… ${missing} more characters`;
}

function textIn(content: readonly JsonObject[]): string {
  return content
    .map((item) => (isObject(item.content) ? item.content.text : undefined))
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** A picture as it came; what is kept of it is decided where it is stored. */
export function imagePart({ data }: JsonObject): { type: "part"; part: JsonObject } {
  const isText = typeof data === "string" && data.isWellFormed();
  return {
    type: "part",
    part: readable({ type: "image", data: isText ? data : null }, toolLimits.diffBytes),
  };
}

/** Diffs and pictures: what a call shows beside its text. */
function diffsIn(content: readonly JsonObject[], toolCallId: string): JsonObject[] {
  const diffs = content.flatMap((item): readonly JsonObject[] => {
    if (item.type === "diff") return [item];
    return isObject(item.content) && item.content.type === "image"
      ? [imagePart(item.content).part]
      : [];
  });
  const parts: JsonObject[] = diffs
    .slice(0, toolLimits.diffs)
    .map((diff) => ({ ...diff, toolCallId }));
  const more = diffs.length - parts.length;
  return more === 0 ? parts : [...parts, unreadable(`${more} more diffs in one update`)];
}

/** Every update repeats all diffs: only those that are not what was added for that place last. */
function changedDiffs(parts: readonly JsonObject[], before: ReadonlyMap<string, string>) {
  const known = new Map<string, string>();
  const changed: JsonObject[] = [];
  const times = new Map<string, number>();
  for (const diff of parts) {
    const path = jsonText(diff.path ?? null);
    // One update may change a file in several places.
    const nth = (times.get(path) ?? 0) + 1;
    times.set(path, nth);
    const place = hashOf(`${nth} ${path}`);
    const part = readable(diff, toolLimits.diffBytes);
    const hash = hashOf(jsonText(part));
    if (before.get(place) !== hash) changed.push(part);
    known.set(place, hash);
  }
  return { changed, known: merged(before, known) };
}

/** Those of now are the ones that come again; of older ones as many as there is room for. */
function merged(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) {
  if (now.size === 0) return before;
  const all = new Map([...[...before].filter(([place]) => !now.has(place)), ...now]);
  return new Map([...all].slice(-toolLimits.diffs - 1));
}

/** Two bytes for a character, and what a map needs for an entry. */
function sizeOf(tool: KnownTool | undefined): number {
  if (tool === undefined) return 0;
  return (
    2 * (tool.input.length + tool.described.length + tool.shown.beginning.length) +
    300 * tool.diffs.size +
    500
  );
}
