/** How much the blobs of each session take, so that no session fills the disk for all others. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";

interface Taken {
  bytes: number;
}

export class BlobRoom {
  readonly #most: number;
  /** Of the sessions that this life has written for; the first write looks at what is there. */
  readonly #taken = new Map<SessionId, Promise<Taken>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False, and nothing is taken, where it would be more than the session may have. */
  async take(session: SessionId, dir: string, bytes: number): Promise<boolean> {
    const taken = await this.#of(session, dir);
    if (taken.bytes + bytes > this.#most) return false;
    taken.bytes += bytes;
    return true;
  }

  /** What was taken and then not written. */
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
