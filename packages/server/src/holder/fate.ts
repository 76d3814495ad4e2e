/**
 * What became of a holder. Nothing is decided on a guess: alive is who answers, dead is whose process
 * and all it started are proved gone, and of everything else nobody knows.
 */

import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { namesIn } from "./files.ts";
import { claimDead, type HolderIdentity, readAgent, readIdentity } from "./identity.ts";
import { readLaunchFile } from "./launch-file.ts";
import { answersHello } from "./probe.ts";
import { isSameProcess } from "./processes.ts";
import { findRemains, killRemains, sendSignal } from "./remains.ts";

export type Fate = "alive" | "dead" | "unknown";

const LOOK_AGAIN = 20;
/** As long as a killed process may take. */
const END_LIMIT = 5_000;

/** Dead means also that nothing its agent started runs any more: what did was killed here. */
export async function fateOf(dir: string, timeoutMs: number): Promise<Fate> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    if (await answersHello(dir, end - performance.now())) return "alive";
    const identity = settledIdentity(dir);
    if (identity.kind === "tombstone") return "dead";
    if (!isSameProcess(identity)) return (await killHolder(dir)) ? "dead" : "unknown";
    // It may be about to listen, or be slow.
    if (performance.now() > end) return "unknown";
    await delay(LOOK_AGAIN);
  }
}

/** Ends a holder with everything of it. False when something would not go within its time. */
export async function killHolder(dir: string): Promise<boolean> {
  const identity = settledIdentity(dir);
  if (identity.kind === "tombstone") return true;
  const recorded = [identity, readAgent(dir)].filter((process) => process !== null);
  return await killRemains({ holderId: basename(dir), leaders: recorded.filter(isSameProcess) });
}

/** Kills a holder whose agent is gone, and only the holder. False when it would not go in time. */
export async function endHolder(dir: string): Promise<boolean> {
  const end = performance.now() + END_LIMIT;
  for (;;) {
    const identity = readIdentity(dir);
    if (identity?.kind !== "holder" || !isSameProcess(identity)) return true;
    sendSignal(identity.pid, "SIGKILL");
    if (performance.now() > end) return false;
    await delay(LOOK_AGAIN);
  }
}

/** To the agent and everything it started; the holder itself goes on. */
export function signalAgent(dir: string, signal: NodeJS.Signals): void {
  const agent = readAgent(dir);
  const leaders = agent !== null && isSameProcess(agent) ? [agent] : [];
  const found = findRemains({ holderId: basename(dir), leaders });
  for (const { pid } of found) sendSignal(pid, signal);
}

export interface HolderPlace {
  readonly holderId: string;
  /** Empty when its host died before it could say. */
  readonly sessionId: string;
}

/** Every holder that was under `root` and whose directory has not been removed. */
export function listHolders(root: string): HolderPlace[] {
  const names = namesIn(root).filter((name) => !name.startsWith("."));
  return names.map((holderId) => {
    const sessionId = readLaunchFile(join(root, holderId))?.sessionId ?? "";
    return { holderId, sessionId };
  });
}

/** Who was first: the holder, or we with a tombstone. */
function settledIdentity(dir: string): HolderIdentity {
  if (readIdentity(dir) === null) claimDead(dir);
  const identity = readIdentity(dir);
  if (identity === null) throw new Error(`${dir} has lost the identity of its holder.`);
  return identity;
}
