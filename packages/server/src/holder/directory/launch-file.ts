/** The host's parameters for a holder, in a file, because a command line is visible to others. */

import { maxLineBytes, maxSpoolBytes } from "../spool/frames.ts";
import { segmentBytes } from "../spool/spool.ts";
import { holderFiles, readJson, writeDurably } from "./files.ts";
import type { GracePeriods } from "./grace-period.ts";

export interface LaunchFile extends GracePeriods {
  readonly holderId: string;
  readonly sessionId: string;
  readonly nonce: string;
  readonly version: string;
  /** The user's own umask, for agents; host and holder use a stricter one. */
  readonly umask: number;
  /** Smaller limits, for tests. */
  readonly limits?: Partial<HolderLimits>;
}

export interface HolderLimits {
  readonly maxLineBytes: number;
  readonly maxSpoolBytes: number;
  readonly segmentBytes: number;
}

export function limitsOf({ limits }: LaunchFile): HolderLimits {
  return { maxLineBytes, maxSpoolBytes, segmentBytes, ...limits };
}

export function readLaunchFile(dir: string): LaunchFile | null {
  return readJson(holderFiles(dir).launch) as LaunchFile | null;
}

export function writeLaunchFile(dir: string, launch: LaunchFile): void {
  writeDurably(holderFiles(dir).launch, launch);
}
