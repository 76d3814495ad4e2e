import { readFlags } from "../flags.ts";
import { exitCodes, print, printText } from "../print.ts";

const data = { "--data DIR": "where everything durable lives (default ~/.holdfast)" };
const report = { "--json": "the report as one line on stdout" };

const commands = [
  {
    name: "serve",
    usage: "holdfast [serve]",
    does: "start the host",
    flags: {
      ...data,
      "--port N": "port on loopback (default 4860, 0 = any free one)",
      "--json": 'one line on stdout when ready: {"ready":true,"url":…,"token":…,"bootId":…}',
    },
  },
  {
    name: "backup",
    usage: "holdfast backup DIR",
    does: "copy the data of a stopped host into a new directory",
    flags: { ...data, ...report },
  },
  {
    name: "repair",
    usage: "holdfast repair",
    does: "rebuild a damaged journal into a new file; the old one is kept",
    flags: { ...data, ...report },
  },
  {
    name: "help",
    usage: "holdfast help",
    does: "this",
    flags: { "--json": "the same for programs" },
  },
];

/** On stdout, because it is what was asked for. */
export async function help(args: string[]): Promise<number> {
  const { json } = readFlags(args, 0);
  await (json ? print({ commands, exitCodes }) : printText(text()));
  return exitCodes.ok;
}

function text(): string {
  const lines = commands.flatMap(({ usage, does, flags }) => [
    `  ${usage.padEnd(26)}${does}`,
    ...Object.entries(flags).map(([flag, what]) => `    ${flag.padEnd(24)}${what}`),
  ]);
  return [
    "Holdfast hosts coding-agent sessions that cannot be lost.",
    "",
    ...lines,
    "",
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 130 interrupted.",
  ].join("\n");
}
