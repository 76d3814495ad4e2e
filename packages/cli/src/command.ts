import { dataDirectory } from "./config.ts";
import { type Flags, type Given, readFlags, type WordCount } from "./flags.ts";
import { hintFor } from "./hint.ts";

export interface Command {
  /** One word, or a noun and a verb: `keys create`. */
  readonly name: string;
  readonly usage: string;
  readonly does: string;
  readonly flags: Flags;
  run(args: string[]): Promise<number>;
}

export interface Spec<F extends Flags> {
  readonly name: string;
  /** The arguments behind the name: `SESSION [APPROVAL]`. */
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
  const shape = `holdfast ${name}${takes === undefined ? "" : ` ${takes}`}`;
  return {
    name,
    usage: shape,
    does,
    flags,
    run: async (args) => {
      const given = readFlags(args, flags, words, shape);
      hintFor(hostOf(given as HostWords, flags));
      return run(given);
    },
  };
}

type HostWords = { readonly url?: unknown; readonly data?: unknown };

/** The host that the command addresses; empty for a command without a host. */
function hostOf(given: HostWords, flags: Flags) {
  if (typeof given.url === "string") return { url: given.url };
  if (flags.data === undefined) return {};
  return { data: dataDirectory(given.data as string | undefined) };
}
