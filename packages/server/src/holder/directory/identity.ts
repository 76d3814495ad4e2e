/**
 * Identities of a holder and its agent, on disk before either can act. A holder's identity is
 * written exclusively: a host that finds none writes a tombstone, and a holder that starts late
 * then exits.
 */

import { mkdirSync } from "node:fs";
import { identify, type ProcessIdentity } from "../../base/processes.ts";
import type { AgentIdentity } from "../spool/frames.ts";
import { holderFiles, readJson, writeDurably, writeOnce } from "./files.ts";

export type HolderIdentity =
  | ({
      readonly kind: "holder";
      readonly protocol: number;
      readonly version: string;
    } & ProcessIdentity)
  | { readonly kind: "tombstone" };

/** Null while neither a holder nor a tombstone exists. */
export function readIdentity(dir: string): HolderIdentity | null {
  return readJson(holderFiles(dir).identity) as HolderIdentity | null;
}

/** False when a tombstone or another holder was first. */
export function claimAlive(dir: string, made: { protocol: number; version: string }): boolean {
  const self = ownIdentity();
  return writeOnce(holderFiles(dir).identity, { kind: "holder", ...made, ...self });
}

/** False when a holder was first. After true, no holder can start an agent from this directory. */
export function claimDead(dir: string): boolean {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return writeOnce(holderFiles(dir).identity, { kind: "tombstone" });
}

export function readAgent(dir: string): AgentIdentity | null {
  return readJson(holderFiles(dir).agent) as AgentIdentity | null;
}

export function recordAgent(dir: string, agent: AgentIdentity): void {
  writeDurably(holderFiles(dir).agent, agent);
}

function ownIdentity(): ProcessIdentity {
  const self = identify(process.pid);
  if (self === null) throw new Error("This process is not in the table of processes.");
  return self;
}
