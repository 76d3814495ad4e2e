/**
 * Checks whether a holder is alive, and ends holders and their agents. The check never guesses: alive
 * means that the holder answers, dead that its process and all it started are proved gone, and
 * unknown is everything else.
 */

import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isSameProcess, sendSignal } from "../../base/processes.ts";
import { claimDead, type HolderIdentity, readAgent, readIdentity } from "../directory/identity.ts";
import { findHolderProcesses, killHolderProcesses } from "../processes/holder-processes.ts";
import { answersHello } from "./probe.ts";

export type HolderLiveness = "alive" | "dead" | "unknown";

const LOOK_AGAIN = 20;
const END_LIMIT = 5_000;

/** Dead also means that all processes of its agent have ended; this function kills them. */
export async function livenessOf(dir: string, timeoutMs: number): Promise<HolderLiveness> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    if (await answersHello(dir, end - performance.now())) return "alive";
    const identity = settledIdentity(dir);
    if (identity.kind === "tombstone") return "dead";
    if (!isSameProcess(identity)) return (await killHolder(dir)) ? "dead" : "unknown";
    // The holder may be starting, or slow.
    if (performance.now() > end) return "unknown";
    await delay(LOOK_AGAIN);
  }
}

/** Kills a holder and all its processes. False when one of them did not end in time. */
export async function killHolder(dir: string): Promise<boolean> {
  const identity = settledIdentity(dir);
  if (identity.kind === "tombstone") return true;
  const recorded = [identity, readAgent(dir)].filter((process) => process !== null);
  return await killHolderProcesses({
    holderId: basename(dir),
    leaders: recorded.filter(isSameProcess),
  });
}

/** Kills a holder whose agent has ended, and only the holder. False when it did not end in time. */
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

/** Sends a signal to the agent and all its descendants, but not to the holder. */
export function signalAgent(dir: string, signal: NodeJS.Signals): void {
  const agent = readAgent(dir);
  const leaders = agent !== null && isSameProcess(agent) ? [agent] : [];
  const found = findHolderProcesses({ holderId: basename(dir), leaders });
  for (const { pid } of found) sendSignal(pid, signal);
}

/** The identity of the holder, or our tombstone: the first writer wins. */
function settledIdentity(dir: string): HolderIdentity {
  if (readIdentity(dir) === null) claimDead(dir);
  const identity = readIdentity(dir);
  if (identity === null) throw new Error(`${dir} has lost the identity of its holder.`);
  return identity;
}
