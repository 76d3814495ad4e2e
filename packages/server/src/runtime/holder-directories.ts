/** The directories of holders, each with its spool: list, probe, kill, discard. */

import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { listHolders } from "../holder/host-side/list-holders.ts";
import { type HolderLiveness, killHolder, livenessOf } from "../holder/host-side/liveness.ts";
import type { OpenedFiles } from "../opened-files.ts";

export class HolderDirectories {
  readonly #root: string;
  readonly #openedFiles: OpenedFiles;
  readonly #onError: (session: null, error: unknown) => void;
  readonly #discarding = new Set<Promise<void>>();

  constructor(root: string, openedFiles: OpenedFiles, onError: (s: null, error: unknown) => void) {
    this.#root = root;
    this.#openedFiles = openedFiles;
    this.#onError = onError;
  }

  dir(holderId: string): string {
    return join(this.#root, holderId);
  }

  list() {
    return listHolders(this.#root);
  }

  liveness(holderId: string, timeoutMs: number): Promise<HolderLiveness> {
    return livenessOf(this.#made(holderId), timeoutMs);
  }

  kill(holderId: string): Promise<boolean> {
    return killHolder(this.#made(holderId));
  }

  /** The directory, made if missing: a tombstone is written there for a holder that never began. */
  #made(holderId: string): string {
    // Another host may own the data by now; then this one must neither make nor kill anything.
    this.#openedFiles.mustBeOurs();
    const dir = this.dir(holderId);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return dir;
  }

  discard(holderId: string): void {
    // An exiting holder may still write its last line there.
    const patient = { maxRetries: 10, retryDelay: 20 };
    const gone = rm(this.dir(holderId), { recursive: true, force: true, ...patient })
      .catch((error: unknown) => this.#onError(null, error))
      .finally(() => this.#discarding.delete(gone));
    this.#discarding.add(gone);
  }

  /** Resolves when all discarded directories are gone. */
  async settled(): Promise<void> {
    await Promise.all(this.#discarding);
  }
}
