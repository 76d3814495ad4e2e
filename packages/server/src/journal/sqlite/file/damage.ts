/** The error for a damaged file: it says what to do, and replaces a crash. */

import { HostError } from "@holdfast/protocol/errors";
import { isDamage } from "./sqlite-error.ts";

export function dataDamaged(path: string, reason: string): HostError {
  return new HostError(
    "data_damaged",
    `${path} needs repair (${reason}). Run "holdfast repair": it copies everything readable to a new file and keeps the old one.`,
    { path, reason },
  );
}

export function explainDamage<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw dataDamaged(path, error instanceof Error ? error.message : String(error));
  }
}
