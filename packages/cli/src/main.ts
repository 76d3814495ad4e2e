/** `holdfast`: one command per file, data on stdout, text for people on stderr. */

import manifest from "../package.json" with { type: "json" };
import type { Command } from "./command.ts";
import { checkAgent } from "./commands/agents/check.ts";
import { listAgents } from "./commands/agents/ls.ts";
import { attach } from "./commands/attach.ts";
import { backup } from "./commands/backup.ts";
import { cancel } from "./commands/cancel.ts";
import { approve, deny } from "./commands/decide.ts";
import { listDevices } from "./commands/devices/ls.ts";
import { revokeDevice } from "./commands/devices/revoke.ts";
import { doctor } from "./commands/doctor.ts";
import { helpOn } from "./commands/help.ts";
import { createKey } from "./commands/keys/create.ts";
import { listKeys } from "./commands/keys/ls.ts";
import { revokeKey } from "./commands/keys/revoke.ts";
import { link } from "./commands/link.ts";
import { logs } from "./commands/logs.ts";
import { listSessions } from "./commands/ls.ts";
import { queue } from "./commands/queue.ts";
import { repair } from "./commands/repair.ts";
import { listRules } from "./commands/rules/ls.ts";
import { revokeRule } from "./commands/rules/revoke.ts";
import { run } from "./commands/run.ts";
import { send } from "./commands/send.ts";
import { serve } from "./commands/serve.ts";
import { dismiss } from "./commands/session/dismiss.ts";
import { end, remove } from "./commands/session/end.ts";
import { pause } from "./commands/session/pause.ts";
import { rename } from "./commands/session/rename.ts";
import { goOn, resume } from "./commands/session/resume.ts";
import { retry } from "./commands/session/retry.ts";
import { show } from "./commands/show.ts";
import { stop } from "./commands/stop.ts";
import { diff } from "./commands/workspace/diff.ts";
import { files } from "./commands/workspace/files.ts";
import { status } from "./commands/workspace/status.ts";
import { exitCodes, fail, usage } from "./exit.ts";
import { leadingFlags } from "./flags.ts";
import { print, printText } from "./output/print.ts";

const all: readonly Command[] = [
  serve,
  run,
  listSessions,
  show,
  attach,
  send,
  approve,
  deny,
  cancel,
  queue,
  resume,
  goOn,
  retry,
  dismiss,
  pause,
  rename,
  end,
  remove,
  status,
  diff,
  files,
  listRules,
  revokeRule,
  logs,
  listAgents,
  checkAgent,
  createKey,
  listKeys,
  revokeKey,
  listDevices,
  revokeDevice,
  link,
  doctor,
  stop,
  backup,
  repair,
];
const help = helpOn(all);
const commands = new Map([...all, help].map((command) => [command.name, command]));

async function main(args: string[]): Promise<number> {
  const known = all.map(({ flags }) => flags);
  const flags = leadingFlags(args, known);
  if (flags.includes("--version") || flags.includes("-v")) return tellVersion(args);
  const named = args.slice(flags.length);
  const [first, second = ""] = named;
  if (first === undefined) {
    const others = flags.filter((flag) => !isHelp(flag));
    if (others.every((flag) => flag === "--json")) return help.run(others);
    throw usage(`Name a command, such as "holdfast serve ${others.join(" ")}". See holdfast help.`);
  }
  const [words, command] = commandOf(first, second);
  const rest = [...flags, ...named.slice(words.length)];
  return rest.some(isHelp) ? help.run(words) : command.run(rest);
}

const isHelp = (word: string): boolean => word === "--help" || word === "-h";

async function tellVersion(args: readonly string[]): Promise<number> {
  const { version } = manifest;
  await (args.includes("--json") ? print({ version }) : printText(version));
  return exitCodes.ok;
}

function commandOf(first: string, second: string): [string[], Command] {
  const verb = commands.get(`${first} ${second}`);
  if (verb !== undefined) return [[first, second], verb];
  const alone = commands.get(first);
  if (alone !== undefined) return [[first], alone];
  const verbs = [...commands.keys()].filter((name) => name.startsWith(`${first} `));
  if (verbs.length === 0) throw usage(`There is no command "${first}". ${adviceFor(first)}`);
  const names = verbs.map((name) => `holdfast ${name}`).join(", ");
  throw usage(`Name one of these commands: ${names}.`);
}

/** The command that ends with this verb, such as `session resume`; without one, help. */
function adviceFor(verb: string): string {
  const meant = [...commands.keys()].filter((name) => name.endsWith(` ${verb}`));
  return meant.length === 0
    ? "See holdfast help."
    : `Did you mean: ${meant.map((name) => `holdfast ${name}`).join(", ")}?`;
}

const args = process.argv.slice(2);
try {
  process.exitCode = await main(args);
} catch (error) {
  process.exitCode = await fail(error, args.includes("--json"));
}
