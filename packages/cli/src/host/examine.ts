/** The doctor's checks. Each checks one thing without changing it. */

import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { bytes } from "@holdfast/protocol";
import { dataDirectory } from "../config.ts";
import { hint } from "../hint.ts";
import { connect, runningHost } from "./connect.ts";
import { isLocked } from "./data-lock.ts";

export interface Check {
  readonly name: string;
  /** `note`: worth knowing, but the host works. */
  readonly level: "good" | "note" | "bad";
  readonly found: string;
  readonly advice?: string;
}

const REQUIRED_NODE = 24;
/** Bytes free below which a busy day's journal may not fit. */
const LITTLE_SPACE = 2e9;
const NO_SPACE = 100e6;

export async function examine(data: string | undefined): Promise<Check[]> {
  const dir = dataDirectory(data);
  const isUp = await runningHost(dir).then(
    () => true,
    () => false,
  );
  return [
    node(),
    ...(isClosed(dir)
      ? [bad("data", `you may not open ${dir}`, "Name another directory with --data.")]
      : [directory(dir), token(dir), isUp ? good("host", "answers") : lock(dir)]),
    ...(isUp ? await agents(data) : []),
    await disk(dir),
    await git(),
    boundary,
    await sandboxes(),
    await survivors(),
  ];
}

const good = (name: string, found: string): Check => ({ name, level: "good", found });
const note = (name: string, found: string, advice: string): Check => ({
  name,
  level: "note",
  found,
  advice,
});
const bad = (name: string, found: string, advice: string): Check => ({
  name,
  level: "bad",
  found,
  advice,
});

function node(): Check {
  const { node: version } = process.versions;
  const isNew = Number(version.split(".")[0]) >= REQUIRED_NODE;
  const found = `${version} (${process.platform} ${process.arch})`;
  return isNew
    ? good("node", found)
    : bad("node", found, `Install Node ${REQUIRED_NODE} or newer.`);
}

/** True when a folder above belongs to somebody else, so that not even its absence can be told. */
function isClosed(dir: string): boolean {
  try {
    statSync(dir, { throwIfNoEntry: false });
    return false;
  } catch {
    return true;
  }
}

function directory(dir: string): Check {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) {
    const level = canWrite(existing(dir)) ? "good" : "bad";
    return { name: "data", level, found: `${dir} (created when the host first starts)` };
  }
  if (!stat.isDirectory()) {
    return bad("data", `${dir} is not a directory`, "Name another directory with --data.");
  }
  if (!canWrite(dir)) {
    const advice = `It belongs to user ${stat.uid}. Change its owner, or name another directory with --data.`;
    return bad("data", `${dir} is not writable`, advice);
  }
  if ((stat.mode & 0o077) !== 0) {
    return bad("data", `other users can read ${dir}`, `chmod 700 ${dir}`);
  }
  return good("data", dir);
}

function token(dir: string): Check {
  const path = join(dir, "token");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return good("token", "created when the host first starts");
  if ((stat.mode & 0o077) === 0) return good("token", "only you can read it");
  return bad("token", `other users can read ${path}`, `chmod 600 ${path}`);
}

/** For when no host answers: either no host has the data, or one has it and does not respond. */
function lock(dir: string): Check {
  if (!isLocked(dir)) return note("host", "not running", `Start it with: ${hint("serve")}`);
  return bad(
    "host",
    "does not answer, but a process uses its data",
    "The host is starting, stopping or stuck. Look at its output. You may kill it: nothing is lost.",
  );
}

async function agents(data: string | undefined): Promise<Check[]> {
  const client = await connect({ url: undefined, data });
  const { agents } = await client.call("listAgents");
  const ready = agents.filter(({ installed }) => installed).map(({ name }) => name);
  const missing = agents.filter(({ installed }) => !installed).map(({ name }) => name);
  const found = `${ready.join(", ") || "none"}${missing.length > 0 ? `; not found: ${missing.join(", ")}` : ""}`;
  return [{ name: "agents", level: ready.length > 0 ? "good" : "note", found }];
}

async function disk(dir: string): Promise<Check> {
  const { bavail, bsize } = await statfs(existing(dir));
  const free = bavail * bsize;
  const found = `${bytes(free)} free`;
  if (free < NO_SPACE) return bad("disk", found, "Free some space.");
  return free < LITTLE_SPACE ? note("disk", found, "Free some space soon.") : good("disk", found);
}

async function git(): Promise<Check> {
  const found = await versionOf("git");
  return found === null
    ? bad("git", "not found", "Install git; workspaces need it.")
    : good("git", found);
}

/** No session runs in a sandbox yet, whatever is installed. */
const boundary = note(
  "isolation",
  "none: agents can do everything you can",
  "If that is too much, run the host as a separate user or in a virtual machine.",
);

/** Runs the host's own test of bubblewrap: it confines a program here once, and looks from inside. */
async function sandboxes(): Promise<Check> {
  const { probeBubblewrap } = await import("@holdfast/server/probe");
  const { holds, words, advice } = await probeBubblewrap(homedir());
  const notYet = "not used for sessions yet";
  return holds
    ? good("sandboxes", `${notYet}; bubblewrap ${words} works here`)
    : note("sandboxes", `${notYet}; bubblewrap does not work here: ${words}`, advice);
}

/** Every process of an agent ends with it only in a pid namespace, which takes root. */
async function survivors(): Promise<Check> {
  const tools = await Promise.all(["setpriv", "unshare"].map(versionOf));
  if (process.getuid?.() === 0 && tools.every((version) => version !== null)) {
    return good("processes", "all processes of an agent end with it");
  }
  return note(
    "processes",
    "a background process may outlive its agent",
    "To end all of them, run the host as root on Linux, with setpriv and unshare.",
  );
}

/** The first line that the program prints for --version; null when it is not installed. */
async function versionOf(program: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: 5000 });
    return stdout.split("\n")[0] ?? "";
  } catch {
    return null;
  }
}

function existing(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
