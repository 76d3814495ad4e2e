/** A command is what help says of it and what it does, in one place. */

import { type Flags, type Given, readFlags, type WordCount } from "./flags.ts";

export interface Command {
  /** One word, or two for a verb of a noun: `keys create`. */
  readonly name: string;
  readonly usage: string;
  readonly does: string;
  readonly flags: Flags;
  run(args: string[]): Promise<number>;
}

export interface Spec<F extends Flags> {
  readonly name: string;
  /** What follows the name: `SESSION [APPROVAL]`. */
  readonly takes?: string;
  readonly does: string;
  readonly flags: F;
  readonly words?: WordCount;
}

const noWords: WordCount = { least: 0, most: 0 };

export function command<F extends Flags>(
  spec: Spec<F>,
  run: (given: Given<F>) => Promise<number>,
): Command {
  const { name, takes, does, flags, words = noWords } = spec;
  const shape = `holdfast ${name === "serve" ? "[serve]" : name}${takes === undefined ? "" : ` ${takes}`}`;
  return {
    name,
    usage: shape,
    does,
    flags,
    run: async (args) => run(readFlags(args, flags, words, shape)),
  };
}
