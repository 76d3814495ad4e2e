/**
 * The files that a host stands on. Its lock is on open files: whoever removes or replaces the
 * directory takes their names away and leaves it the lock, and another host may begin there.
 */

import { statSync, writeSync } from "node:fs";
import { HostError } from "@holdfast/protocol";

export class Ground {
  readonly #opened: readonly { readonly path: string; readonly file: string | null }[];

  /** To be made once the files are open. */
  constructor(paths: readonly string[]) {
    this.#opened = paths.map((path) => ({ path, file: fileAt(path) }));
  }

  /** The first path where that file does not lie any more; null while all of them do. */
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

  /** Ends the process at once: to close in order would be to write and delete in someone else's place. */
  leaveIfLost(): void {
    const path = this.lost;
    if (path === null) return;
    writeSync(
      2,
      `holdfast: ${path} is not the file that this host opened: its data directory was removed or replaced. It ends now, and touches nothing there. Put the directory back, or start again on what is there.\n`,
    );
    process.exit(1);
  }
}

/** Without opening it: to close it again would drop this process's locks. */
function fileAt(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}
