/** `holdfast`: one command per file, data on stdout, text for people on stderr. */

import manifest from "../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { helpOn } from "./commands/help.ts";
import { allCommands, commands } from "./commands.ts";
import { exitCodes, fail, usage } from "./exit.ts";
import { leadingFlags } from "./flags.ts";
import { print, printText } from "./output/print.ts";

const help = helpOn(allCommands);
const names = [...commands.keys(), help.name];

async function main(args: string[]): Promise<number> {
  const flags = args[0]?.startsWith("-") ? leadingFlags(args, await allFlags()) : [];
  if (flags.includes("--version") || flags.includes("-v")) return tellVersion(args);
  const named = args.slice(flags.length);
  const [first, second = ""] = named;
  if (first === undefined) {
    const others = flags.filter((flag) => !isHelp(flag));
    if (others.every((flag) => flag === "--json")) return help.run(others);
    throw usage(`Name a command, such as "holdfast serve ${others.join(" ")}". See holdfast help.`);
  }
  const [words, command] = await commandOf(first, second);
  const rest = [...flags, ...named.slice(words.length)];
  return rest.some(isHelp) ? help.run(words) : command.run(rest);
}

const allFlags = async () => (await allCommands()).map(({ flags }) => flags);

const isHelp = (word: string): boolean => word === "--help" || word === "-h";

async function tellVersion(args: readonly string[]): Promise<number> {
  const { version } = manifest;
  await (args.includes("--json") ? print({ version }) : printText(version));
  return exitCodes.ok;
}

async function commandOf(first: string, second: string): Promise<[string[], Command]> {
  const verb = commands.get(`${first} ${second}`);
  if (verb !== undefined) return [[first, second], await verb()];
  const alone = first === help.name ? help : await commands.get(first)?.();
  if (alone !== undefined) return [[first], alone];
  const verbs = names.filter((name) => name.startsWith(`${first} `));
  if (verbs.length === 0) throw usage(`There is no command "${first}". ${adviceFor(first)}`);
  throw usage(`Name one of these commands: ${verbs.map(asTyped).join(", ")}.`);
}

/** The command that ends with this verb, such as `session resume`; without one, help. */
function adviceFor(verb: string): string {
  const meant = names.filter((name) => name.endsWith(` ${verb}`));
  return meant.length === 0
    ? "See holdfast help."
    : `Did you mean: ${meant.map(asTyped).join(", ")}?`;
}

const asTyped = (name: string): string => `holdfast ${name}`;

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  process.exitCode = await fail(error, args.includes("--json"));
}
