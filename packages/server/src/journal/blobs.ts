/**
 * Blobs: content that is too large for an event, as content-addressed files of one session. File
 * and directory are synced before the event that names them is appended, so a blob that an event
 * names always exists. A file that no event names is deleted with its session. The bytes per
 * session are limited: past the limit, the journal keeps only previews of the agent's output, and
 * the session remembers that content was left out.
 */

import { createHash, randomBytes } from "node:crypto";
import { constants, createReadStream, existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BlobRef, SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import { isId } from "@holdfast/protocol/ids";
import { sha256 } from "../base/sha256.ts";
import { BlobRoom } from "./blob-room.ts";

export interface Blobs {
  /** Stores an agent's output; without room it drops the bytes: see `hasLeftOut`. */
  put(session: SessionId, bytes: Uint8Array): Promise<BlobRef>;
  /** Stores a person's input whole, or refuses it with `limit_reached`. */
  keep(session: SessionId, bytes: Uint8Array): Promise<BlobRef>;
  get(session: SessionId, hash: string): Promise<Uint8Array>;
  /** Reads a blob in pieces after verifying its hash; null when there is no blob of this name. */
  read(session: SessionId, hash: string): Promise<Stored | null>;
  hasLeftOut(session: SessionId): boolean;
  remove(session: SessionId): Promise<void>;
}

export interface Stored {
  readonly bytes: number;
  /** Each call starts from the first byte. */
  stream(): ReadableStream<Uint8Array>;
}

/** Enough for days of an agent that prints whole files; a laptop holds 100 such sessions. */
export const SESSION_BYTES = 1024 ** 3;

/** Marks that output was left out. A blob's name is a hash, so the names cannot clash. */
const LEFT_OUT = "left-out";

const isHash = (text: string) => /^[0-9a-f]{64}$/.test(text);

export function fileBlobs(root: string, most = SESSION_BYTES): Blobs {
  const room = new BlobRoom(most);
  /** Writes in progress, by path: concurrent writes of the same bytes count once. */
  const writing = new Map<string, Promise<boolean>>();

  const folder = (session: SessionId) => {
    if (!isId("session", session)) throw new HostError("session_not_found", "Session not found");
    return join(root, session);
  };

  async function write(session: SessionId, path: string, bytes: Uint8Array): Promise<boolean> {
    const dir = folder(session);
    const known = await stat(path).catch(() => null);
    if (known?.size === bytes.length) return true;
    const more = bytes.length - (known?.size ?? 0);
    if (!(await room.take(session, dir, more))) return false;
    try {
      await ensureFolder(root, dir);
      await writeDurably(dir, path, bytes);
      return true;
    } catch (error) {
      await room.giveBack(session, dir, more);
      throw error;
    }
  }

  /** Resolves to false when the session has no room for the blob. */
  function stored(session: SessionId, hash: string, bytes: Uint8Array): Promise<boolean> {
    const path = join(folder(session), hash);
    const written =
      writing.get(path) ?? write(session, path, bytes).finally(() => writing.delete(path));
    writing.set(path, written);
    return written;
  }

  async function noteLeftOut(session: SessionId): Promise<void> {
    const dir = folder(session);
    if (existsSync(join(dir, LEFT_OUT))) return;
    await ensureFolder(root, dir);
    await writeDurably(dir, join(dir, LEFT_OUT), new Uint8Array());
  }

  return {
    async put(session, bytes) {
      const hash = sha256(bytes);
      // The marker is written before an event can name the missing blob.
      if (!(await stored(session, hash, bytes))) await noteLeftOut(session);
      return { hash, bytes: bytes.length };
    },

    async keep(session, bytes) {
      const hash = sha256(bytes);
      if (await stored(session, hash, bytes)) return { hash, bytes: bytes.length };
      throw new HostError(
        "limit_reached",
        `This session has reached its limit of ${most} bytes for long texts. Start a new session.`,
      );
    },

    async get(session, hash) {
      const path = join(folder(session), isHash(hash) ? hash : "none");
      const bytes = await readFile(path).catch(() => null);
      if (bytes !== null && sha256(bytes) === hash) return bytes;
      throw damaged(hash, bytes === null ? "missing" : "damaged");
    },

    async read(session, hash) {
      const path = join(folder(session), hash);
      const found = isHash(hash) ? await stat(path).catch(() => null) : null;
      if (found === null) return null;
      const sum = createHash("sha256");
      await pipeline(createReadStream(path), sum);
      if (sum.digest("hex") !== hash) throw damaged(hash, "damaged");
      return {
        bytes: found.size,
        stream: () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>,
      };
    },

    hasLeftOut: (session) => existsSync(join(folder(session), LEFT_OUT)),

    async remove(session) {
      room.forget(session);
      await rm(folder(session), { recursive: true, force: true });
    },
  };
}

function damaged(hash: string, how: string): HostError {
  return new HostError(
    "session_damaged",
    `Blob ${hash} is ${how}; the preview in the journal is whole.`,
  );
}

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

/** A new file name survives a power cut only after its directory is synced. */
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
