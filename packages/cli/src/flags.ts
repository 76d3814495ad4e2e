import { parseArgs } from "node:util";
import { HostError } from "@holdfast/protocol";
import { usage } from "./exit.ts";

interface Flag {
  /** The value's name in help; a flag without one is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** Absent for a flag that help does not list. */
  readonly does?: string;
}

export type Flags = Readonly<Record<string, Flag>>;

export type Given<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends { readonly value: string } ? string | undefined : boolean;
} & { readonly words: readonly string[] };

export interface WordCount {
  readonly least: number;
  readonly most: number;
}

const dataFlag = {
  data: {
    value: "DIR",
    does: "the host's data directory (default: HOLDFAST_DATA, or ~/.holdfast)",
  },
} as const;
export const localFlags = {
  ...dataFlag,
  json: { does: "print the report as one JSON line on stdout" },
} as const;
export const hostFlags = {
  url: { value: "URL", does: "the host's address (default: HOLDFAST_URL, or the host of --data)" },
  ...dataFlag,
  tenant: { value: "NAME", does: "the tenant to act in (needs the host's own token)" },
  json: { does: "print JSON on stdout" },
} as const;

/** Parses flags and words. Unknown flags and surplus words are errors that name them. */
export function readFlags<F extends Flags>(
  args: string[],
  flags: F,
  { least, most }: WordCount,
  shape: string,
): Given<F> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, option(flag)]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length > most) {
      throw usage(`Unexpected argument "${positionals[most]}". Usage: ${shape}`);
    }
    if (positionals.length < least) throw usage(`An argument is missing. Usage: ${shape}`);
    const switches = Object.entries(flags).filter(([, { value }]) => value === undefined);
    const off = Object.fromEntries(switches.map(([name]) => [name, false]));
    return { ...off, ...values, words: positionals } as unknown as Given<F>;
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw usage(`${saidOf(error, flags)} Usage: ${shape}. See holdfast help.`);
  }
}

/** Names the unknown option; any other error keeps Node's own message. */
function saidOf(error: unknown, flags: Flags): string {
  const said = (error instanceof Error ? error.message : String(error)).replaceAll("\n", " ");
  const isUnknown = (error as NodeJS.ErrnoException).code === "ERR_PARSE_ARGS_UNKNOWN_OPTION";
  const name = isUnknown ? /'(-[^']*)'/.exec(said)?.[1] : undefined;
  if (name !== undefined) return `This command has no option "${name}".`;
  const [, option = "", what] =
    /'(?:-\w, )?--([\w-]+)[^']*' (?:argument (missing|is ambiguous)|does not)/.exec(said) ?? [];
  const flag = Object.hasOwn(flags, option) ? flags[option] : undefined;
  if (flag !== undefined && what === undefined) return `--${option} takes no value.`;
  if (flag !== undefined) return `--${option} needs a value: ${flagNames(option, flag)}.`;
  return said.endsWith(".") ? said : `${said}.`;
}

export function leadingFlags(args: readonly string[], known: readonly Flags[]): string[] {
  let end = 0;
  while (args[end]?.startsWith("-") && args[end] !== "--") {
    const name = args[end]?.replace(/^--/, "") ?? "";
    end += known.some((flags) => Object.hasOwn(flags, name) && flags[name]?.value) ? 2 : 1;
  }
  return args.slice(0, end);
}

function option({ value, short }: Flag) {
  const type = value === undefined ? "boolean" : "string";
  return { type, ...(short === undefined ? {} : { short }) } as const;
}

/** The flag as help prints it: `-f, --follow`, `--after N`. */
export function flagNames(name: string, { value, short }: Flag): string {
  const long = `--${name}${value === undefined ? "" : ` ${value}`}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
