/** The commands that make the demo agent do something other than its usual work. */

import { RequestError } from "@agentclientprotocol/sdk";
import { lies } from "./lies.ts";

interface Word {
  /** A step runs in the order written; a manner applies to the whole turn. */
  readonly is: "step" | "manner";
  readonly usage: string;
  readonly means: string;
  /** Present when the word takes a number: the default. */
  readonly number?: number;
  /** Present when the word takes a choice: the choices with their meanings, the default first. */
  readonly choice?: Readonly<Record<string, string>>;
}

export const words = {
  help: { is: "step", usage: "/help", means: "says this" },
  work: {
    is: "step",
    usage: "/work",
    means: "the usual turn: reads, edits two files, asks, runs the tests",
  },
  say: { is: "step", usage: "/say TEXT", means: "says TEXT, a word per chunk, and uses no tools" },
  echo: { is: "step", usage: "/echo TEXT", means: "the same as /say" },
  count: {
    is: "step",
    usage: "/count[=N]",
    means: "says <1> <2> … <N>, a chunk each (10)",
    number: 10,
  },
  ask: {
    is: "step",
    usage: "/ask[=N]",
    means: "asks N permissions, one after another (1)",
    number: 1,
  },
  effect: {
    is: "step",
    usage: "/effect[=N]",
    means: "asks N times, and after each yes writes a line to effects.log (1)",
    number: 1,
  },
  flood: {
    is: "step",
    usage: "/flood[=N]",
    means: "says N tiny chunks as fast as stdout takes them (100000)",
    number: 100_000,
  },
  bigline: {
    is: "step",
    usage: "/bigline[=BYTES]",
    means: "says one chunk of BYTES bytes (1048576)",
    number: 1_048_576,
  },
  delegate: {
    is: "step",
    usage: "/delegate",
    means: "hands its work to an agent below it, hears of it once, then waits until cancelled",
  },
  delegated: {
    is: "step",
    usage: "/delegated",
    means: "hands its work to an agent below it, and hears its result",
  },
  stall: {
    is: "step",
    usage: "/stall",
    means: "starts a tool call, then says nothing more until cancelled",
  },
  fail: {
    is: "step",
    usage: "/fail",
    means: "says some text, then fails for good: policy, 400",
  },
  exit: {
    is: "step",
    usage: "/exit[=CODE]",
    means: "ends the process with CODE instead of answering (1)",
    number: 1,
  },
  die: { is: "step", usage: "/die", means: "kill -9 of itself, without a word" },
  noise: { is: "step", usage: "/noise", means: "writes a line that is no JSON to stdout" },
  fork: {
    is: "step",
    usage: "/fork",
    means: "leaves a process behind that counts in orphan.log and ignores TERM and HUP, for 60 s",
  },
  orphan: {
    is: "step",
    usage: "/orphan",
    means: "leaves a process behind that writes on in this conversation once the agent is gone",
  },
  ahead: {
    is: "step",
    usage: "/ahead[=N]",
    means: "remembers a sentence and N calls that it tells nobody, the last without its end (2)",
    number: 2,
  },
  deaf: {
    is: "step",
    usage: "/deaf",
    means: "from now on ignores cancel, TERM and the end of stdin; the process ends after 120 s",
  },
  forget: {
    is: "step",
    usage: "/forget",
    means: "at its next session/load it knows only the first 40 % of the transcript",
  },
  lie: {
    is: "step",
    usage: "/lie[=WHICH]",
    means: "from the next process on it gets its memory wrong, in one of these ways (denies):",
    choice: lies,
  },
  slow: {
    is: "manner",
    usage: "/slow[=MS]",
    means: "waits MS before each chunk, and makes more of them (250)",
    number: 250,
  },
  transient: {
    is: "manner",
    usage: "/transient[=K]",
    means: "the first K tries of this very prompt fail after some text: overloaded, 529 (1)",
    number: 1,
  },
  vary: {
    is: "manner",
    usage: "/vary",
    means: "asks about another input each time that it is asked to do the same",
  },
  vague: {
    is: "manner",
    usage: "/vague",
    means: "asks without saying what exactly it would do",
  },
  untold: {
    is: "manner",
    usage: "/untold",
    means: "with /effect: kill -9 of itself after the effect, before it tells anyone",
  },
  crash: {
    is: "manner",
    usage: "/crash[=K]",
    means: "kill -9 of itself after K chunks (3)",
    number: 3,
  },
  late: {
    is: "manner",
    usage: "/late[=MS]",
    means: "says one more chunk MS after the turn has ended (100)",
    number: 100,
  },
} as const satisfies Record<string, Word>;

type WordName = keyof typeof words;
type Named<Is> = { [W in WordName]: (typeof words)[W]["is"] extends Is ? W : never }[WordName];
export type StepName = Named<"step">;
type MannerName = Named<"manner">;

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
  const steps: Step[] = [];
  const manner: Partial<Record<MannerName, number>> = {};
  const found = [...text.matchAll(/(?<!\S)\/([a-z]+)(?:=(\S*))?(?!\S)/g)].filter(([, name]) =>
    Object.hasOwn(words, name ?? ""),
  );
  found.forEach((match, i) => {
    const name = match[1] as WordName;
    const value = readValue(name, match[2]);
    if (isManner(name)) manner[name] = value.number;
    else {
      const after = text.slice(match.index + match[0].length, found[i + 1]?.index);
      steps.push({ word: name, ...value, text: after.trim() });
    }
  });
  if (steps.length === 0) steps.push({ word: "work", number: 0, choice: "", text: "" });
  return { steps, manner };
}

export function helpText(): string {
  const rows = Object.values<Word>(words).flatMap(({ usage, means, choice = {} }) => [
    `- \`${usage}\` ${means}\n`,
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

function readValue(name: WordName, given: string | undefined): { number: number; choice: string } {
  const word: Word = words[name];
  const choices = Object.keys(word.choice ?? {});
  if (given === undefined) return { number: word.number ?? 0, choice: choices[0] ?? "" };
  if (word.number !== undefined && /^\d{1,9}$/.test(given)) {
    return { number: Number(given), choice: "" };
  }
  if (choices.includes(given)) return { number: 0, choice: given };
  const one = choices.length === 0 ? "" : `, with one of ${choices.join(", ")}`;
  throw RequestError.invalidParams(
    { word: name, given },
    `the word is written ${word.usage}${one}`,
  );
}

const isManner = (name: WordName): name is MannerName => words[name].is === "manner";
