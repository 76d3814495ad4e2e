/** A directory of files as one value: the same content gives the same text and the same hash. */

import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { HostError } from "@holdfast/protocol";

export interface TreeFile {
  readonly path: string;
  readonly executable: boolean;
  readonly content: Buffer;
}

/** Limits for instructions, settings and small scripts; a larger directory was named by mistake. */
const MOST_FILES = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Reads all files. Links are refused, because their targets are not part of the content. */
export async function readTree(dir: string): Promise<TreeFile[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(
    (error: Error) => {
      throw refused(dir, error.message);
    },
  );
  const files: TreeFile[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile()) throw refused(dir, `${file} is not a regular file`);
    const { mode, size } = await stat(file);
    bytes += size;
    if (files.length >= MOST_FILES) throw refused(dir, `it has more than ${MOST_FILES} files`);
    if (bytes > MOST_BYTES) throw refused(dir, `it has more than ${MOST_BYTES >> 20} MB`);
    const path = relative(dir, file).split(sep).join("/");
    files.push({ path, executable: (mode & 0o100) !== 0, content: await readFile(file) });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function encodeTree(files: readonly TreeFile[]): string {
  const lines = files.map(({ path, executable, content }) =>
    JSON.stringify([path, executable, content.toString("base64")]),
  );
  return `${lines.join("\n")}\n`;
}

export function decodeTree(text: string): TreeFile[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [path, executable, content] = JSON.parse(line) as [string, boolean, string];
      return { path, executable, content: Buffer.from(content, "base64") };
    });
}

const refused = (dir: string, why: string) =>
  new HostError("bad_input", `The agent definition ${dir} is not valid: ${why}.`);
