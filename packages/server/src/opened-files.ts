/**
 * The files that a host has open. Its lock is on open files: if the data directory is removed or
 * replaced, the host keeps a lock without a name, and another host may start in its place.
 */

import { statSync, writeSync } from "node:fs";
import { HostError } from "@holdfast/protocol";

export class OpenedFiles {
  readonly #opened: readonly { readonly path: string; readonly file: string | null }[];

  /** Call after the files are open. */
  constructor(paths: readonly string[]) {
    this.#opened = paths.map((path) => ({ path, file: fileAt(path) }));
  }

  /** The first path that no longer leads to the opened file; null while all do. */
  get lost(): string | null {
    return this.#opened.find(({ path, file }) => fileAt(path) !== file)?.path ?? null;
  }

  mustBeOurs(): void {
    const path = this.lost;
    if (path === null) return;
    throw new HostError(
      "fenced",
      `${path} is not the file that this host opened; it must not act.`,
    );
  }

  /** Exits the process at once: an orderly close would write to or delete another host's files. */
  leaveIfLost(): void {
    const path = this.lost;
    if (path === null) return;
    writeSync(
      2,
      `holdfast: ${path} is not the file that this host opened: its data directory was removed or replaced. The host stops now and changes nothing there. Put the directory back, or start the host again.\n`,
    );
    process.exit(1);
  }
}

/** Device and inode, without opening the file: a close would drop this process's locks. */
function fileAt(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}
