/**
 * Blobs: what is too large for an event, as content-addressed files of one session. File and
 * directory are synced before the event that names them is appended, so a name never dangles; a
 * file no event came to name goes with its session.
 */

import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlobRef, SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import { isId } from "@holdfast/protocol/ids";

export interface Blobs {
  put(session: SessionId, bytes: Uint8Array): Promise<BlobRef>;
  get(session: SessionId, hash: string): Promise<Uint8Array>;
  /** All of one session, with the session itself. */
  remove(session: SessionId): Promise<void>;
}

export function fileBlobs(root: string): Blobs {
  const folder = (session: SessionId) => {
    if (!isId("session", session)) throw new HostError("session_not_found", "Session not found");
    return join(root, session);
  };
  return {
    async put(session, bytes) {
      const dir = folder(session);
      const hash = sha256(bytes);
      const path = join(dir, hash);
      const known = await stat(path).catch(() => null);
      if (known?.size !== bytes.length) {
        await ensureFolder(root, dir);
        await writeDurably(dir, path, bytes);
      }
      return { hash, bytes: bytes.length };
    },

    async get(session, hash) {
      const path = join(folder(session), /^[0-9a-f]{64}$/.test(hash) ? hash : "none");
      const bytes = await readFile(path).catch(() => null);
      if (bytes !== null && sha256(bytes) === hash) return bytes;
      throw new HostError(
        "session_damaged",
        `Blob ${hash} is ${bytes === null ? "missing" : "damaged"}; the preview in the journal is whole.`,
      );
    },

    async remove(session) {
      await rm(folder(session), { recursive: true, force: true });
    },
  };
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function ensureFolder(root: string, dir: string): Promise<void> {
  const made = await mkdir(dir, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(root);
}

async function writeDurably(dir: string, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw fullOr(error);
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dir);
}

/** A new name is durable only once its directory is. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function fullOr(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new HostError("journal_full", "The disk is full. Free some space; nothing was lost.");
}
