/** `holdfast`: one command per file, data on stdout, words for people on stderr. */

import { HostError } from "@holdfast/protocol";
import { backup } from "./commands/backup.ts";
import { help } from "./commands/help.ts";
import { repair } from "./commands/repair.ts";
import { serve } from "./commands/serve.ts";
import { fail } from "./print.ts";

const commands: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  serve,
  backup,
  repair,
  help,
};

async function main(args: string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === "--help" || first === "-h") return help(rest);
  if (first === undefined || first.startsWith("-")) return serve(args);
  const command = Object.hasOwn(commands, first) ? commands[first] : undefined;
  if (command !== undefined) return command(rest);
  throw new HostError("bad_input", `There is no command "${first}". See holdfast help.`);
}

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  process.exitCode = await fail(error, args.includes("--json"));
  if (!(error instanceof HostError)) throw error;
}
