/** Limits the blob bytes of one session, so that it cannot fill the disk for all others. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";

interface Taken {
  bytes: number;
}

export class BlobRoom {
  readonly #most: number;
  /** Sessions that this process has written blobs for. The first write counts the files on disk. */
  readonly #taken = new Map<SessionId, Promise<Taken>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Reserves the bytes. Returns false, and reserves none, when the session's limit would be exceeded. */
  async take(session: SessionId, dir: string, bytes: number): Promise<boolean> {
    const taken = await this.#of(session, dir);
    if (taken.bytes + bytes > this.#most) return false;
    taken.bytes += bytes;
    return true;
  }

  /** Returns reserved bytes that were not written. */
  async giveBack(session: SessionId, dir: string, bytes: number): Promise<void> {
    (await this.#of(session, dir)).bytes -= bytes;
  }

  forget(session: SessionId): void {
    this.#taken.delete(session);
  }

  #of(session: SessionId, dir: string): Promise<Taken> {
    const known = this.#taken.get(session);
    if (known !== undefined) return known;
    const looking = sizeOf(dir).then((bytes) => ({ bytes }));
    this.#taken.set(session, looking);
    looking.catch(() => this.forget(session));
    return looking;
  }
}

async function sizeOf(dir: string): Promise<number> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(dir, name)).catch(() => null))?.size ?? 0;
  return bytes;
}
