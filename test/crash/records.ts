/**
 * The log of a driven host: the answers and events that callers saw, one JSON line each, written
 * with writeSync to a file outside the disk under test. Each line is written before the next step,
 * so that after a kill or a power cut the log is exact.
 */

import { readFileSync } from "node:fs";

/** Identifies a call in the journal: events of these kinds that contain this text. */
export interface Mark {
  readonly kinds: readonly string[];
  readonly text: string;
}

/** Seq and crc32 of one event line, including its newline. */
export type Told = readonly [seq: number, crc: number];

export type Entry =
  | { readonly t: "boot"; readonly pid: number }
  | { readonly t: "ready"; readonly epoch: number; readonly recovery: Record<string, number> }
  | {
      readonly t: "invoke";
      readonly op: string;
      readonly at: number;
      readonly s: string;
      readonly name: string;
      readonly mark: Mark | null;
      /** True when repeating the call is harmless: an empty answer still means that it is done. */
      readonly again: boolean;
    }
  | { readonly t: "ok"; readonly op: string; readonly at: number; readonly events: readonly Told[] }
  | { readonly t: "fail"; readonly op: string; readonly code: string }
  | {
      readonly t: "seen";
      readonly f: string;
      readonly s: string;
      readonly at: number;
      readonly first: number;
      readonly crcs: readonly number[];
    }
  | { readonly t: "reset"; readonly f: string; readonly s: string; readonly seq: number }
  | { readonly t: "hostToken"; readonly token: string }
  | { readonly t: "token"; readonly s: string; readonly runId: string; readonly token: string }
  | { readonly t: "note"; readonly name: string; readonly value?: unknown };

export function readEntries(file: string): Entry[] {
  const text = readFileSync(file, "utf8");
  const entries: Entry[] = [];
  for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
    if (line !== "") entries.push(JSON.parse(line) as Entry);
  }
  return entries;
}

export function notes(entries: readonly Entry[], name: string): unknown[] {
  return entries.flatMap((entry) =>
    entry.t === "note" && entry.name === name ? [entry.value] : [],
  );
}
