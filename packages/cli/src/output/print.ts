/**
 * All output of the CLI: text for people on stderr, data for programs on stdout. Foreign text is
 * made visible here, and only this module adds colours.
 */

import type { WriteStream } from "node:tty";
import { HostError, type Tone, visible, visibleLine } from "@holdfast/protocol";
import { surroundings } from "../config.ts";
import { spansOf, type Words } from "./words.ts";

/** Each write reports its error by callback; unheard, an error would end the process. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const readerLeft = new Set(["EPIPE", "ECONNRESET"]);
const left = new AbortController();
/** Aborted when stdout has no reader any more, so that following can stop. */
export const unread: AbortSignal = left.signal;

const codes: Readonly<Record<Tone, string>> = {
  alive: "32",
  needs: "33",
  lost: "31",
  asleep: "34",
  recovered: "35",
  quiet: "2",
  strong: "1",
};

/** One line with its colours; a line break inside is made visible, so the result stays one line. */
export function paint(words: Words, colour: boolean): string {
  return spansOf(words)
    .map((span) => {
      if (typeof span === "string") return visibleLine(span);
      const text = visibleLine(span.text);
      return colour && text !== "" ? `\u001b[${codes[span.tone]}m${text}\u001b[0m` : text;
    })
    .join("");
}

function hasColour(stream: WriteStream): boolean {
  return stream.isTTY === true && !surroundings().plain;
}

export function say(words: Words): void {
  process.stderr.write(`${paint(words, hasColour(process.stderr))}\n`);
}

export function sayTyped(words: Words): void {
  process.stderr.write(`\r\u001b[K${paint(words, hasColour(process.stderr))}`);
}

/** Turns bracketed paste on or off, so that pasted text is not read as keys. */
export function markPastes(on: boolean): void {
  process.stderr.write(`\u001b[?2004${on ? "h" : "l"}`);
}

/** Prints a value for programs, on one line. */
export function print(value: unknown): Promise<void> {
  return write(`${visible(JSON.stringify(value))}\n`);
}

export function printText(text: string): Promise<void> {
  return write(`${visible(text)}\n`);
}

export function printLine(words: Words): Promise<void> {
  return write(`${paint(words, hasColour(process.stdout))}\n`);
}

/** Prints text as it streams in, without ending the line. */
export function printPiece(text: string): Promise<void> {
  return write(visible(text));
}

/** Prints bytes unchanged for a program, and made visible on a terminal. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return process.stdout.isTTY ? printText(new TextDecoder().decode(bytes)) : write(bytes);
}

/** A reader that closes stdout early is not an error, and the command continues. */
function write(text: string | Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
    if (!error) return resolve();
    if (readerLeft.has(error.code ?? "")) {
      left.abort();
      return resolve();
    }
    const message = `The output could not be written (${error.message}). Redirect stdout to another place.`;
    reject(new HostError("internal", message));
  });
  return promise;
}

/** The terminal's columns; null when stdout is not a terminal and lines may have any length. */
export function widthOfStdout(): number | null {
  return process.stdout.isTTY ? columnsOf(process.stdout) : null;
}

/** A terminal of unknown width reports 0. */
export function columnsOf(stream: WriteStream): number {
  return stream.columns || 80;
}
