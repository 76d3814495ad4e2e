/** Reads the machine's part in a bubblewrap command. */

import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { bubblewrapPath, type Machine } from "./bubblewrap.ts";
import type { ShapeFacts } from "./shape.ts";

/** Null when bubblewrap is not installed, or does not tell its version. */
export async function readMachine(): Promise<Machine | null> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (process.platform !== "linux" || uid === undefined || gid === undefined) return null;
  const version = await readVersion();
  if (version === null) return null;
  const isRealRoot = uid === 0 && hasOwnUids(readFileSync("/proc/self/uid_map", "utf8"));
  return { uid, gid, isRealRoot, arch: process.arch, version, proc: namesInProc() };
}

/** A range that no distribution and no container tool gives out; a uid of a session of a root host. */
const OWN_UIDS = { first: 0x7000_0000, count: 0x00ff_ffff };

/** The uid of a session under a root host: always the same, so that its files stay its own. */
function ownUid(sessionId: string): number {
  let hash = 0x811c_9dc5;
  for (const letter of sessionId) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x0100_0193) >>> 0;
  return OWN_UIDS.first + (hash % OWN_UIDS.count);
}

/** A session of a root host has a user of its own; all others have the host's. */
export function sandboxUser(sessionId: string, machine: Machine): ShapeFacts["user"] {
  const { uid, gid, isRealRoot } = machine;
  if (!isRealRoot) return { name: uid === 0 ? "root" : "user", uid, gid };
  const own = ownUid(sessionId);
  return { name: "user", uid: own, gid: own };
}

/** Empty where only root may read /proc; bubblewrap fails there, and says so. */
function namesInProc(): string[] {
  try {
    return readdirSync("/proc");
  } catch {
    return [];
  }
}

/** Lines of `uid_map`: the first uid inside, the first outside, and their number. */
function hasOwnUids(map: string): boolean {
  return map.split("\n").some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return first <= OWN_UIDS.first && first + count >= OWN_UIDS.first + OWN_UIDS.count;
  });
}

async function readVersion(): Promise<Machine["version"] | null> {
  try {
    const { stdout } = await promisify(execFile)(bubblewrapPath, ["--version"], { timeout: 5_000 });
    const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
    return [Number(major ?? 0), Number(minor ?? 0)];
  } catch {
    return null;
  }
}
