/** The host's own credential: a file only its owner can read, made once, complete or not there. */

import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

export function hostToken(dir: string, random: (bytes: number) => Uint8Array): string {
  const path = join(dir, "token");
  const known = readToken(path);
  if (known !== null) return known;
  const token = Buffer.from(random(32)).toString("base64url");
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeSynced(temporary, `${token}\n`);
  linkSync(temporary, path);
  rmSync(temporary, { force: true });
  syncFolder(dir);
  return token;
}

function readToken(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
}

function syncFolder(dir: string): void {
  const folder = openSync(dir, "r");
  fsyncSync(folder);
  closeSync(folder);
}
