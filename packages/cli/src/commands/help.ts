import { type Command, command } from "../command.ts";
import { exitCodes, usage } from "../exit.ts";
import { flagNames } from "../flags.ts";
import { print, printText } from "../print.ts";

const flags = { json: { does: "the same for programs" } } as const;
const spec = {
  name: "help",
  takes: "[COMMAND]",
  does: "this, or one command with its flags",
  flags,
  words: { least: 0, most: 2 },
} as const;

/** On stdout, because it is what was asked for. `others` are all commands but this one. */
export function helpOn(others: readonly Command[]): Command {
  const help = command(spec, async ({ json, words }) => {
    const all = [...others, help];
    const about = words.length === 0 ? all : all.filter(({ name }) => isAbout(name, words));
    if (about.length === 0) throw usage(`There is no command "${words.join(" ")}".`);
    if (json) await print({ commands: about.map(forPrograms), exitCodes });
    else await printText(words.length === 0 ? overview(all) : about.map(page).join("\n\n"));
    return exitCodes.ok;
  });
  return help;
}

function isAbout(name: string, words: readonly string[]): boolean {
  return name === words.join(" ") || name.startsWith(`${words[0]} `) || name === words[0];
}

function forPrograms({ name, usage, does, flags }: Command) {
  return { name, usage, does, flags: Object.fromEntries(flagWords(flags)) };
}

function flagWords(flags: Command["flags"]): [string, string][] {
  return Object.entries(flags).map(([name, flag]) => [flagNames(name, flag), flag.does]);
}

const WIDTH = 37;

function overview(commands: readonly Command[]): string {
  return [
    "Holdfast hosts coding-agent sessions that cannot be lost.",
    "",
    ...commands.map(({ usage, does }) => `  ${usage.padEnd(WIDTH)}${does}`),
    "",
    "SESSION is an id, the beginning of one, or latest; - reads from stdin.",
    "A host is found by --data, or by --url or HOLDFAST_URL, with HOLDFAST_TOKEN.",
    "Every command takes --json; its flags: holdfast help COMMAND.",
    "Which version this is: holdfast --version.",
    "",
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 needs a decision,",
    "130 interrupted.",
  ].join("\n");
}

function page({ usage, does, flags }: Command): string {
  const lines = flagWords(flags).map(([flag, what]) => `  ${flag.padEnd(24)}${what}`);
  return [usage, `  ${does}`, ...(lines.length === 0 ? [] : ["", ...lines])].join("\n");
}
