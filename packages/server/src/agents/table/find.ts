/** Finds installed programs: executables on the PATH, and packages where npm puts them. */

import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";

interface Package {
  readonly dir: string;
  readonly version: string | null;
  readonly bins: Readonly<Record<string, string>>;
}

export class Finder {
  readonly #path: readonly string[];

  constructor(path: string) {
    this.#path = path.split(delimiter).filter((dir) => isAbsolute(dir));
  }

  executable(name: string): string | null {
    if (isAbsolute(name)) return isExecutable(name) ? name : null;
    return this.#path.map((dir) => join(dir, name)).find(isExecutable) ?? null;
  }

  /** Finds a package beside the commands on the PATH, or by following the link of its command. */
  package(name: string, bin?: string): Package | null {
    const places = this.#path.flatMap((dir) => [
      join(dir, "..", "lib", "node_modules", name),
      ...(basename(dir) === ".bin" ? [join(dir, "..", name)] : []),
    ]);
    const found = places.map((dir) => readPackage(dir, name)).find((known) => known !== null);
    if (found !== undefined) return found;
    const command = bin === undefined ? null : this.executable(bin);
    return command === null ? null : packageAround(command, name);
  }
}

/** A file in a dependency of this package, wherever the package manager put it. */
export function broughtAlong({ dir }: Package, path: string): string | null {
  for (let at = dir; ; at = dirname(at)) {
    const file = join(at, "node_modules", path);
    if (isExecutable(file)) return file;
    if (at === dirname(at)) return null;
  }
}

/** True when Node runs the file: a package's command may also be a native program. */
export function isJavaScript(file: string): boolean {
  if (/\.[cm]?js$/.test(file)) return true;
  return /^#!.*\bnode\b/.test(firstLine(file));
}

/** Reads only the start of the file, which may be a program of hundreds of megabytes. */
function firstLine(file: string): string {
  const opened = openSync(file, "r");
  try {
    const start = Buffer.alloc(100);
    const length = readSync(opened, start);
    return start.toString("latin1", 0, length).split("\n", 1)[0] ?? "";
  } finally {
    closeSync(opened);
  }
}

function packageAround(command: string, name: string): Package | null {
  const file = realpathSync(command);
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    const found = readPackage(at, name);
    if (found !== null) return found;
  }
  return null;
}

function readPackage(dir: string, name: string): Package | null {
  try {
    const real = realpathSync(dir);
    const told = JSON.parse(readFileSync(join(real, "package.json"), "utf8")) as unknown;
    if (typeof told !== "object" || told === null || !("name" in told) || told.name !== name) {
      return null;
    }
    const version = "version" in told && typeof told.version === "string" ? told.version : null;
    return { dir: real, version, bins: "bin" in told ? binsOf(real, name, told.bin) : {} };
  } catch {
    return null;
  }
}

/** The commands in a manifest; with a single path, the command has the package's name. */
function binsOf(dir: string, name: string, bin: unknown): Record<string, string> {
  const all = typeof bin === "string" ? { [basename(name)]: bin } : (bin ?? {});
  return Object.fromEntries(
    Object.entries(all).flatMap(([command, file]) =>
      typeof file === "string" ? [[command, join(dir, file)]] : [],
    ),
  );
}

export function isReadable(file: string): boolean {
  return isAllowed(file, constants.R_OK);
}

function isExecutable(file: string): boolean {
  return isAllowed(file, constants.X_OK);
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
