import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentView, count } from "@holdfast/protocol";
import type { Damage, Serving } from "@holdfast/server";
import { command } from "../command.ts";
import { dataDirectory } from "../config.ts";
import { exitCodes } from "../exit.ts";
import { localFlags } from "../flags.ts";
import { commandOn, hint, shortNameHint } from "../hint.ts";
import { restartWhenKilled } from "../host/restart-when-killed.ts";
import { print, say } from "../output/print.ts";

const flags = {
  data: localFlags.data,
  port: { value: "N", does: "the port to listen on (default: 4860; 0 for any free port)" },
  host: {
    value: "ADDRESS",
    does: "the address to listen on (default: 127.0.0.1, this machine only)",
  },
  restart: { does: "restart the host whenever it is killed" },
  /** The former name of `--restart`. */
  again: {},
  /** Set by `--restart` for the host that it starts. */
  supervised: {},
  "allow-remote": { value: "NAMES", does: "host names or addresses that other machines may use" },
  json: {
    does: 'print one line on stdout when ready: {"ready":true,"url":…,"token":…,"bootId":…}',
  },
} as const;

export const serve = command({ name: "serve", does: "start the host", flags }, async (given) => {
  if (given.restart || given.again) {
    const port = given.port === "0" ? await freePort(given.host) : null;
    const start = () => supervised(port);
    const data = dataDirectory(given.data);
    return restartWhenKilled({ start, data, say, sleep, now: () => performance.now() });
  }
  const { readConfig, serve: start } = await import("@holdfast/server");
  const config = readConfig(given);
  if (!given.json) say(`holdfast: opening ${config.data} …`);
  const supervisor = given.supervised ? { supervisor: process.ppid } : {};
  const serving = await start({ ...config, ...supervisor, command: commandOn(config.data) });
  const { host, url, token } = serving;
  // Listens before the ready line is printed: its reader may send the signal at once.
  const stopping = stopSignal();
  if (given.json) await print({ ready: true, url, token, bootId: host.bootId }).catch(goOn);
  else await greet(serving, config.data);
  const signal = await stopping;
  if (!given.json) say(`holdfast: ${signal}, stopping …`);
  const open = await serving.close();
  if (!given.json && open > 0) {
    const runs = count(open, "run keeps", "runs keep");
    say(
      `holdfast: ${runs} going; the next host reconnects. To stop runs as well: ${hint("stop --all")}`,
    );
  }
  return exitCodes.ok;
});

/** Runs this same command in a child process, which may be killed. */
function supervised(port: number | null): ChildProcess {
  const args = process.argv
    .slice(1)
    .map((arg) => (arg === "--restart" || arg === "--again" ? "--supervised" : arg));
  // A later `--port` overrides an earlier one.
  if (port !== null) args.push("--port", String(port));
  return spawn(process.execPath, [...process.execArgv, ...args], { stdio: "inherit" });
}

/** Chooses a port once, so that every restart of the host listens on the same one. */
async function freePort(host = "127.0.0.1"): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function greet({ url, host, agents, link }: Serving, data: string): Promise<void> {
  const { interrupted, adopted, unreachable, waiting, continued } = host.recovery;
  say(`holdfast: ready at ${url} (health: ${url}/health)`);
  sayLink(link);
  say(`holdfast: data in ${data}; the token is in its file "token"`);
  say(`holdfast: agents: ${agentWords(agents)}`);
  say(`holdfast: ${NO_BOUNDARY}`);
  const found = [
    { sessions: adopted, word: "reconnected" },
    { sessions: continued, word: "continued" },
    { sessions: waiting, word: "waiting for an answer" },
    { sessions: interrupted, word: "interrupted" },
    { sessions: unreachable, word: "not reachable yet" },
  ].filter(({ sessions }) => sessions.length > 0);
  if (found.length > 0) {
    const words = found.map(({ sessions, word }) => `${sessions.length} ${word}`).join(", ");
    say(`holdfast: runs that the previous host left open: ${words}`);
  }
  await host.journal.damages().then((damages) => sayDamaged(damages), goOn);
  say(`holdfast: in another terminal: ${hint("run", '"Improve this program"')}`);
  const shortName = shortNameHint();
  if (shortName !== null) say(`holdfast: to install the short command holdfast: ${shortName}`);
  say("holdfast: Ctrl-C stops the host; open runs keep going, and idle agents are stopped.");
}

/** Prints a sign-in link; none after fifty starts within the five minutes that links last. */
function sayLink(link: Serving["link"]): void {
  try {
    const { url, reach } = link();
    const where = reach === "this-machine" ? " on this machine" : "";
    say(`holdfast: sign in with a browser${where} (link works once, for 5 minutes): ${url}`);
  } catch (error) {
    goOn(error as Error);
  }
}

/** Printed at the start of a host, because agents run without any confinement. */
const NO_BOUNDARY =
  "agents are not isolated: they can read and change everything you can, including this host's data";

/** The installed agents, and the command that tells how to get the others. */
function agentWords(agents: readonly AgentView[]): string {
  const here = agents.filter(({ installed }) => installed).map(({ name }) => name);
  const more = agents.length - here.length;
  return `${here.join(", ")}${more > 0 ? ` (to install ${more} more: ${hint("agents")})` : ""}`;
}

/** The host keeps serving when its greeting could not be printed. */
function goOn(error: Error): void {
  say(`holdfast: ${error.message} The host keeps running.`);
}

const MAX_NAMED = 5;

function sayDamaged(damages: readonly Damage[]): void {
  if (damages.length === 0) return;
  const names = damages.flatMap(({ session }) => session ?? []);
  const words: string[] = names.slice(0, MAX_NAMED);
  if (names.length > MAX_NAMED) words.push(`${names.length - MAX_NAMED} more`);
  const isNamed = names.length === damages.length;
  if (!isNamed) words.push("some with unreadable ids");
  const count = isNamed ? `${names.length}` : `more than ${names.length}`;
  say(`holdfast: ${count} sessions are damaged and can only be read: ${words.join(", ")}`);
  say(`holdfast: to repair them, stop the host and run: ${hint("repair")}`);
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
}
