/**
 * Tool calls of an ACP agent. An update replaces the call's earlier output, and some agents update
 * calls that they never announced; the journal holds one start, additions, and one result per call.
 */

import type { Json, Output, Part } from "@holdfast/protocol";
import { sha256 } from "../../base/sha256.ts";
import {
  callIdOf,
  cut,
  handsOn,
  isObject,
  type JsonObject,
  jsonText,
  readable,
  textOf,
  toolNameOf,
  unreadableValue,
} from "./acp-shape.ts";

/** Summary of the output so far, to find the new part of an update and repeat a short output. */
interface Shown {
  readonly length: number;
  readonly hash: string;
  readonly beginning: string;
}

export interface KnownTool {
  readonly toolName: string;
  /** True after an adoption: the journal keeps only the title, which serves as the name. */
  readonly isTitle: boolean;
  readonly name: string;
  /** Input as JSON text, so that an agent cannot choose how many objects stay in memory. */
  readonly input: string;
  /** Content and locations as JSON text, for a call whose input the agent does not send. */
  readonly described: string;
  readonly shown: Shown;
  /** The output was recorded by an earlier host; the journal may hold only previews of it. */
  readonly adopted: boolean;
  /** For each diff that was added: the hash of its path to the hash of its content. */
  readonly diffs: ReadonlyMap<string, string>;
}

export const toolLimits = {
  bytes: 64 * 1024,
  allBytes: 8 * 1024 * 1024,
  open: 512,
  finished: 4096,
  /** Diffs per update: the journal limits the size of one append. */
  diffs: 200,
  /** Size of one diff, which holds the whole file before and after. */
  diffBytes: 16 * 1024 * 1024,
} as const;

const nothingShown = shownOf("");

export class KnownTools {
  readonly #open = new Map<string, KnownTool>();
  readonly #over = new Set<string>();
  #bytes = 0;

  /** Restores the calls of an adopted run from the journal; one that the host closed may still end. */
  static of(parts: readonly Part[]): KnownTools {
    const tools = new KnownTools();
    for (const part of parts) {
      if (part.type === "other") tools.#adoptDiff(part.part);
      if (part.type !== "tool") continue;
      const { toolCallId, name, status } = part;
      const isClosed = status === "unknown" || status === "not_started";
      if (status !== "running" && !isClosed) tools.finish(toolCallId);
      else {
        const blob = part.inputBlob;
        // A preview is not the exact input, so a decision must not match it.
        const input = blob
          ? unreadableValue("larger than the journal shows", blob.hash)
          : part.input;
        const title = cut(name, 200);
        // The last line is of the host that closed the call.
        const end = isClosed ? Math.max(0, part.output.lastIndexOf("\n")) : part.output.length;
        const known = { toolName: title, name: title, input: inputText(input), adopted: true };
        tools.set(toolCallId, {
          ...known,
          isTitle: true,
          described: "{}",
          shown: shownOf(part.output.slice(0, end)),
          diffs: new Map(),
        });
      }
    }
    return tools;
  }

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

  /** Forgets all of a finished call except that it is finished. */
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
    // The new output continues the journal's text, so that text was complete and not a preview.
    adopted: known?.adopted === true && (now === null || silent),
    diffs: diffs.known,
  });
  return output;
}

/** The tool's name from its first mention; later updates may carry only a title. */
export function nameOf(call: JsonObject, known: KnownTool | undefined): string {
  const said = toolNameOf(call);
  return (known === undefined || known.isTitle ? said : null) ?? known?.toolName ?? said ?? "tool";
}

/** The name and input that an update adds: agents announce a call before they know its input. */
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

/** The input an open call was started with, for a question that does not repeat it. */
export function knownInput(tool: KnownTool | undefined): Json | undefined {
  return tool === undefined ? undefined : (JSON.parse(tool.input) as Json);
}

/** The description of an open call, for a question that does not repeat it. */
export function knownDescription(tool: KnownTool | undefined): JsonObject {
  return tool === undefined ? {} : (JSON.parse(tool.described) as JsonObject);
}

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
  return { length: text.length, hash: sha256(text), beginning: cut(text, toolLimits.bytes) };
}

function begins(text: string, shown: Shown): boolean {
  return text.length >= shown.length && sha256(text.slice(0, shown.length)) === shown.hash;
}

/** The final output of a call. A mere "done" must not replace the output shown before. */
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

/** An image as the agent sent it; the code that stores it decides how much is kept. */
export function imagePart({ data }: JsonObject): { type: "part"; part: JsonObject } {
  const isText = typeof data === "string" && data.isWellFormed();
  return {
    type: "part",
    part: readable({ type: "image", data: isText ? data : null }, toolLimits.diffBytes),
  };
}

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
  return more === 0 ? parts : [...parts, unreadableValue(`${more} more diffs in one update`)];
}

/** The diffs that are new for their path: agents repeat all diffs in every update. */
function changedDiffs(parts: readonly JsonObject[], before: ReadonlyMap<string, string>) {
  const known = new Map<string, string>();
  const changed: JsonObject[] = [];
  const times = new Map<string, number>();
  for (const diff of parts) {
    const path = jsonText(diff.path ?? null);
    // An update may hold several diffs of one file.
    const nth = (times.get(path) ?? 0) + 1;
    times.set(path, nth);
    const place = sha256(`${nth} ${path}`);
    const part = readable(diff, toolLimits.diffBytes);
    const hash = sha256(jsonText(part));
    if (before.get(place) !== hash) changed.push(part);
    known.set(place, hash);
  }
  return { changed, known: merged(before, known) };
}

/** Keeps the current diffs and the newest of the earlier ones, up to the limit. */
function merged(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) {
  if (now.size === 0) return before;
  const all = new Map([...[...before].filter(([place]) => !now.has(place)), ...now]);
  return new Map([...all].slice(-toolLimits.diffs - 1));
}

/** Estimate in bytes: two per character, plus the overhead of map entries. */
function sizeOf(tool: KnownTool | undefined): number {
  if (tool === undefined) return 0;
  return (
    2 * (tool.input.length + tool.described.length + tool.shown.beginning.length) +
    300 * tool.diffs.size +
    500
  );
}
