/** The commands that make the demo agent do something other than its usual work. */

import { RequestError } from "@agentclientprotocol/sdk";
import { lies } from "./lies.ts";

interface Word {
  readonly means: string;
  /** The form of the argument, as the help shows it. */
  readonly takes?: string;
  /** Present when the word takes a number: the default. */
  readonly number?: number;
  /** Present when the word takes a choice: the choices with their meanings, the default first. */
  readonly choice?: Readonly<Record<string, string>>;
}

/** Steps run in the order written. */
const steps = {
  help: { means: "says this" },
  work: { means: "the usual turn: reads, edits two files, asks, runs the tests" },
  say: { means: "says TEXT, a word per chunk, and uses no tools", takes: " TEXT" },
  echo: { means: "the same as /say", takes: " TEXT" },
  count: { means: "says <1> <2> … <N>, a chunk each (10)", takes: "[=N]", number: 10 },
  ask: { means: "asks N permissions, one after another (1)", takes: "[=N]", number: 1 },
  effect: {
    means: "asks N times, and after each yes writes a line to effects.log (1)",
    takes: "[=N]",
    number: 1,
  },
  flood: {
    means: "says N tiny chunks as fast as stdout takes them (100000)",
    takes: "[=N]",
    number: 100_000,
  },
  bigline: {
    means: "says one chunk of BYTES bytes (1048576)",
    takes: "[=BYTES]",
    number: 1_048_576,
  },
  delegate: {
    means: "hands its work to an agent below it, hears of it once, then waits until cancelled",
  },
  delegated: { means: "hands its work to an agent below it, and hears its result" },
  stall: { means: "starts a tool call, then says nothing more until cancelled" },
  fail: { means: "says some text, then fails for good: policy, 400" },
  exit: {
    means: "ends the process with CODE instead of answering (1)",
    takes: "[=CODE]",
    number: 1,
  },
  die: { means: "kill -9 of itself, without a word" },
  noise: { means: "writes a line that is no JSON to stdout" },
  fork: {
    means: "leaves a process behind that counts in orphan.log and ignores TERM and HUP, for 60 s",
  },
  orphan: {
    means: "leaves a process behind that writes on in this conversation once the agent is gone",
  },
  ahead: {
    means: "remembers a sentence and N calls that it tells nobody, the last without its end (2)",
    takes: "[=N]",
    number: 2,
  },
  deaf: {
    means: "from now on ignores cancel, TERM and the end of stdin; the process ends after 120 s",
  },
  forget: { means: "at its next session/load it knows only the first 40 % of the transcript" },
  lie: {
    means: "from the next process on it gets its memory wrong, in one of these ways (denies):",
    takes: "[=WHICH]",
    choice: lies,
  },
} as const satisfies Record<string, Word>;

/** A manner applies to the whole turn. */
const manners = {
  slow: {
    means: "waits MS before each chunk, and makes more of them (250)",
    takes: "[=MS]",
    number: 250,
  },
  transient: {
    means: "the first K tries of this very prompt fail after some text: overloaded, 529 (1)",
    takes: "[=K]",
    number: 1,
  },
  vary: { means: "asks about another input each time that it is asked to do the same" },
  vague: { means: "asks without saying what exactly it would do" },
  untold: { means: "with /effect: kill -9 of itself after the effect, before it tells anyone" },
  crash: { means: "kill -9 of itself after K chunks (3)", takes: "[=K]", number: 3 },
  late: {
    means: "says one more chunk MS after the turn has ended (100)",
    takes: "[=MS]",
    number: 100,
  },
} as const satisfies Record<string, Word>;

export const words: Readonly<Record<string, Word>> = { ...steps, ...manners };
export type StepName = keyof typeof steps;
type MannerName = keyof typeof manners;

export interface Step {
  readonly word: StepName;
  readonly number: number;
  readonly choice: string;
  readonly text: string;
}

export interface Request {
  readonly steps: readonly Step[];
  readonly manner: Readonly<Partial<Record<MannerName, number>>>;
}

/** Parses a prompt. A prompt without a step asks for the usual work. */
export function parseRequest(prompt: string): Request {
  const text = requestIn(prompt);
  const asked: Step[] = [];
  const manner: Partial<Record<MannerName, number>> = {};
  const found = [...text.matchAll(/(?<!\S)\/([a-z]+)(?:=(\S*))?(?!\S)/g)].filter(([, name]) =>
    isIn(words, name ?? ""),
  );
  found.forEach((match, i) => {
    const name = match[1] ?? "";
    const value = readValue(name, match[2]);
    if (isIn(manners, name)) manner[name] = value.number;
    else if (isIn(steps, name)) {
      const after = text.slice(match.index + match[0].length, found[i + 1]?.index);
      asked.push({ word: name, ...value, text: after.trim() });
    }
  });
  if (asked.length === 0) asked.push({ word: "work", number: 0, choice: "", text: "" });
  return { steps: asked, manner };
}

export function helpText(): string {
  const rows = Object.entries(words).flatMap(([name, { takes = "", means, choice = {} }]) => [
    `- \`/${name}${takes}\` ${means}\n`,
    ...Object.entries(choice).map(([which, does]) => `  - \`${which}\`: ${does}\n`),
  ]);
  return `${rows.join("")}\nSteps are done in the order written, for example \`/slow=50 /say hello /ask\`.\n`;
}

/** The current request in a prompt: words in a told history must not run again. */
export function requestIn(prompt: string): string {
  const [, current] = prompt.split(/^=== CURRENT REQUEST ===$/m).slice(-2);
  const request = current?.split(/^=== INSTRUCTIONS ===$/m)[0] ?? prompt;
  const [, interrupted] = request.split(/^The request you were working on:\n---$/m).slice(-2);
  return interrupted?.split(/^---$/m)[0] ?? request;
}

function readValue(name: string, given: string | undefined): { number: number; choice: string } {
  const { takes = "", number, choice = {} }: Partial<Word> = words[name] ?? {};
  const choices = Object.keys(choice);
  if (given === undefined) return { number: number ?? 0, choice: choices[0] ?? "" };
  if (number !== undefined && /^\d{1,9}$/.test(given)) {
    return { number: Number(given), choice: "" };
  }
  if (choices.includes(given)) return { number: 0, choice: given };
  const one = choices.length === 0 ? "" : `, with one of ${choices.join(", ")}`;
  const message = `the word is written /${name}${takes}${one}`;
  throw RequestError.invalidParams({ word: name, given }, message);
}

function isIn<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}
