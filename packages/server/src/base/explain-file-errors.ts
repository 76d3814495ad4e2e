import { HostError } from "@holdfast/protocol/errors";

/**
 * Runs `act` on a path and turns file system refusals into errors that say what to do; `done` is the
 * attempt, such as "read or written". An I/O error is rethrown unchanged.
 */
export function explainFileErrors<T>(path: string, done: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === "EIO") throw error;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw new HostError("journal_full", `The disk under ${path} is full. Free some space.`);
    }
    throw new HostError(
      "data_unusable",
      `${path} cannot be ${done} (${message}). Change its permissions, or choose another directory.`,
    );
  }
}
