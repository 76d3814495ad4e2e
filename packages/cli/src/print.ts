/**
 * How the CLI speaks: people read stderr, programs read stdout. Everything it ever writes to either
 * goes through here, where what others wrote is made visible and nothing else can add a colour.
 */

import type { WriteStream } from "node:tty";
import { HostError } from "@holdfast/protocol";
import { surroundings } from "./config.ts";
import { visible, visibleLine } from "./visible.ts";
import { spansOf, type Tone, type Words } from "./words.ts";

/** Whoever writes hears of an error by its callback; unheard here, it would end the process. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const readerLeft = new Set(["EPIPE", "ECONNRESET"]);
const left = new AbortController();
/** Nobody reads stdout any more: there is no reason to go on following. */
export const unread: AbortSignal = left.signal;

const codes: Readonly<Record<Tone, string>> = {
  alive: "32",
  needs: "33",
  bad: "31",
  paused: "34",
  recovered: "35",
  quiet: "2",
  strong: "1",
};

/** One line with its colours; a line break inside is shown, so that it stays one line. */
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

/** A line for people. */
export function say(words: Words): void {
  process.stderr.write(`${paint(words, hasColour(process.stderr))}\n`);
}

/** A line for people that is still being typed: it takes the place of what stands there. */
export function sayTyped(words: Words): void {
  process.stderr.write(`\r\u001b[K${paint(words, hasColour(process.stderr))}`);
}

/** Lets a terminal mark what is pasted, so that it is not taken for keys. */
export function markPastes(on: boolean): void {
  process.stderr.write(`\u001b[?2004${on ? "h" : "l"}`);
}

/** A value for programs, on one line. */
export function print(value: unknown): Promise<void> {
  return write(`${visible(JSON.stringify(value))}\n`);
}

/** What was asked for, as text of any number of lines. */
export function printText(text: string): Promise<void> {
  return write(`${visible(text)}\n`);
}

/** What was asked for, as one line with its colours. */
export function printLine(words: Words): Promise<void> {
  return write(`${paint(words, hasColour(process.stdout))}\n`);
}

/** A piece of text as it comes in; the line may go on. */
export function printPiece(text: string): Promise<void> {
  return write(visible(text));
}

/** Bytes as they are for a program, and made visible for a person. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return process.stdout.isTTY ? printText(new TextDecoder().decode(bytes)) : write(bytes);
}

/** A reader that has heard enough is no failure, and what the command does goes on without it. */
function write(text: string | Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
    if (!error) return resolve();
    if (readerLeft.has(error.code ?? "")) {
      left.abort();
      return resolve();
    }
    const message = `Its output could not be written (${error.message}). Send stdout elsewhere.`;
    reject(new HostError("internal", message));
  });
  return promise;
}

/** Columns of the terminal that stdout is, or null where it is none and nothing has to fit. */
export function widthOfStdout(): number | null {
  return process.stdout.isTTY ? columnsOf(process.stdout) : null;
}

/** A terminal that does not say how wide it is says 0. */
export function columnsOf(stream: WriteStream): number {
  return stream.columns || 80;
}
