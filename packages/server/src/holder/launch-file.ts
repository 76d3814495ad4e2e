/** What a host tells a holder before it starts it. Nothing of it is on a command line. */

import { holderFiles, readJson, writeDurably } from "./files.ts";
import { maxLineBytes, maxSpoolBytes } from "./frames.ts";
import type { Graces } from "./grace.ts";
import { segmentBytes } from "./spool.ts";

export interface LaunchFile extends Graces {
  readonly holderId: string;
  readonly sessionId: string;
  /** Whoever says it may act here. */
  readonly nonce: string;
  readonly version: string;
  /** What its agents get: the user's own, for host and holder have another. */
  readonly umask: number;
  /** Smaller ones make tests quick. */
  readonly limits?: Partial<Limits>;
}

export interface Limits {
  readonly maxLineBytes: number;
  readonly maxSpoolBytes: number;
  readonly segmentBytes: number;
}

export function limitsOf({ limits }: LaunchFile): Limits {
  return { maxLineBytes, maxSpoolBytes, segmentBytes, ...limits };
}

export function readLaunchFile(dir: string): LaunchFile | null {
  return readJson(holderFiles(dir).launch) as LaunchFile | null;
}

export function writeLaunchFile(dir: string, launch: LaunchFile): void {
  writeDurably(holderFiles(dir).launch, launch);
}
