/**
 * Commands as the reader can type them: by the name that the shell finds, or else by the program's
 * whole path, and with the flags of the host that this command addressed.
 */

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultData, type HostGiven, surroundings } from "./config.ts";

const bin = fileURLToPath(new URL("../bin/holdfast.mjs", import.meta.url));
/** The link that npm makes in a clone: it is shorter, and works with every Node. */
const linked = fileURLToPath(new URL("../../../node_modules/.bin/holdfast", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");

/** Commands for the machine of the host, which take no `--url`. */
const local = new Set(["serve", "stop", "doctor", "backup", "repair", "help"]);

let program = "holdfast";
let urlOption = "";
let dataOption = "";

/** Called once, when the command line is parsed: all later hints address the same host. */
export function hintFor({ url, data }: Partial<HostGiven>): void {
  program = ownProgram();
  urlOption = url === undefined ? "" : ` --url ${shellWord(url)}`;
  dataOption = url !== undefined || data === undefined ? "" : dataFlag(data);
}

/** `holdfast attach sess_… --data DIR`. */
export function hint(...words: string[]): string {
  const said = words.join(" ");
  return `${program} ${said}${takesUrl(said) ? urlOption : ""}${dataOption}`;
}

/** True for a command line that may address a host by `--url`. */
export function takesUrl(line: string): boolean {
  const [verb = ""] = line.split(" ");
  return !local.has(verb);
}

/** The command for texts that are shown elsewhere, such as on the page: `holdfast --data DIR`. */
export function commandOn(data: string): string {
  return `${program}${dataFlag(data)}`;
}

/** Empty for the default directory, which every command finds by itself. */
function dataFlag(data: string): string {
  return data === defaultData() ? "" : ` --data ${shellWord(data)}`;
}

/** The command that makes the shell find this program as `holdfast`; null if it already does. */
export function shortNameHint(env?: NodeJS.ProcessEnv): string | null {
  if (isFoundIn(surroundings(env).path)) return null;
  const launcher = join(dirname(defaultData(env)), ".local", "bin", "holdfast");
  return isOurs(launcher)
    ? 'put ~/.local/bin first on your PATH: export PATH="$HOME/.local/bin:$PATH"'
    : "npm run setup (once, in the clone)";
}

function ownProgram(): string {
  if (isFoundIn(surroundings().path)) return "holdfast";
  return shellWord(existsSync(linked) ? linked : bin);
}

function isFoundIn(path: string): boolean {
  // npm adds such folders to PATH for its scripts; the reader's shell does not have them.
  const folders = path.split(delimiter).filter((one) => !/[\\/]node_modules[\\/]/.test(`${one}/`));
  const first = folders.map((one) => join(one, "holdfast")).find((one) => existsSync(one));
  return first !== undefined && isOurs(first);
}

function isOurs(file: string): boolean {
  try {
    if (realpathSync(file) === realpathSync(bin)) return true;
    return statSync(file).size < 10_000 && readFileSync(file, "utf8").includes(launches);
  } catch {
    return false;
  }
}

/** The line of a launcher that names its clone; `scripts/launcher.mjs` writes it. */
const launches = `\nclone='${root.replaceAll("'", "'\\''")}'\n`;

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
