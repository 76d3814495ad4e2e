/** The host's parameters for a holder, in a file, because a command line is visible to others. */

import { holderFiles, readJson, writeDurably } from "./files.ts";
import { maxLineBytes, maxSpoolBytes } from "./frames.ts";
import type { Graces } from "./grace.ts";
import { segmentBytes } from "./spool.ts";

export interface LaunchFile extends Graces {
  readonly holderId: string;
  readonly sessionId: string;
  /** The secret that a host must present. */
  readonly nonce: string;
  readonly version: string;
  /** The user's own umask, for agents; host and holder use a stricter one. */
  readonly umask: number;
  /** Smaller limits, for tests. */
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
