import { type Command, command } from "../command.ts";
import { exitCodes, usage } from "../exit.ts";
import { flagNames } from "../flags.ts";
import { print, printText } from "../output/print.ts";

const flags = { json: { does: "the help as one JSON line on stdout" } } as const;
const spec = {
  name: "help",
  takes: "[COMMAND]",
  does: "list the commands, or explain one",
  flags,
  words: { least: 0, most: 2 },
} as const;

/** Prints to stdout, since help is the requested output. `others` loads all commands but this one. */
export function helpOn(others: () => Promise<readonly Command[]>): Command {
  const help = command(spec, async ({ json, words }) => {
    const all = [...(await others()), help];
    const asked = words.length === 0 ? all : about(all, words);
    if (asked.length === 0) {
      throw usage(`There is no command "${words.join(" ")}". See holdfast help.`);
    }
    if (json) await print({ commands: asked.map(forPrograms), exitCodes });
    else await printText(words.length === 0 ? overview(all) : asked.map(page).join("\n\n"));
    return exitCodes.ok;
  });
  return help;
}

/** The command of exactly this name; a noun such as `session` selects all its verbs. */
function about(all: readonly Command[], words: readonly string[]): Command[] {
  const asked = words.join(" ");
  const exact = all.filter(({ name }) => name === asked);
  const verbs = all.filter(({ name }) => name.startsWith(`${asked} `));
  return words.length > 1 ? exact : [...exact, ...verbs];
}

function forPrograms({ name, usage, does, flags }: Command) {
  return { name, usage, does, flags: Object.fromEntries(flagWords(flags)) };
}

function flagWords(flags: Command["flags"]): [string, string][] {
  return Object.entries(flags).flatMap(([name, flag]) =>
    flag.does === undefined ? [] : [[flagNames(name, flag), flag.does]],
  );
}

const GAP = 2;

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length)) + GAP;
  return [
    "Holdfast hosts coding-agent sessions that cannot be lost.",
    "",
    ...commands.map(({ usage, does }) => `  ${usage.padEnd(width)}${does}`),
    "",
    "SESSION is an id, its beginning or end (at least 6 characters), a whole title, or latest:",
    "the open session with the latest activity. A deleted session is named by its whole id.",
    "If PROMPT or TEXT is -, it is read from stdin.",
    "Commands use the host of the data directory: --data, or HOLDFAST_DATA, or ~/.holdfast.",
    "To use a host elsewhere: --url or HOLDFAST_URL, and its key in HOLDFAST_TOKEN.",
    "Every command takes --json. To see all flags of a command: holdfast help COMMAND.",
    "To see the version: holdfast --version.",
    "",
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 needs a decision,",
    "130 interrupted.",
  ].join("\n");
}

function page({ usage, does, flags }: Command): string {
  const lines = flagWords(flags).map(([flag, what]) => `  ${flag.padEnd(24)}${what}`);
  return [usage, `  ${does}`, ...(lines.length === 0 ? [] : ["", ...lines])].join("\n");
}
