/** Connects to the socket in a holder's directory, also when its path is too long for a socket. */

import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { socketName } from "../directory/files.ts";

/** The limit is 107 on Linux and 103 on macOS. */
const LONGEST_PATH = 103;

/** Rejects with the system's error when no process listens there. */
export async function connectHolderSocket(dir: string, signal: AbortSignal): Promise<Socket> {
  const path = join(dir, socketName);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return await connected(path, signal);
  // A short link is needed only for connecting, and removed right afterwards.
  const short = mkdtempSync(join(shortTmp(), "hf-"));
  try {
    const link = join(short, "h");
    symlinkSync(resolve(dir), link);
    return await connected(join(link, socketName), signal);
  } finally {
    rmSync(short, { recursive: true });
  }
}

async function connected(path: string, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ path });
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function shortTmp(): string {
  return tmpdir().length < 60 ? tmpdir() : "/tmp";
}
