/** Checks whether a holder answers, without becoming its host. */

import { connectHolder, HolderRefused } from "./link.ts";

/** Lower than any epoch: a holder checks the nonce, refuses this hello, and keeps its host. */
const noEpoch = -1;

export async function answersHello(dir: string, limit: number): Promise<boolean> {
  const timeoutMs = Math.ceil(Math.max(limit, 0));
  try {
    const link = await connectHolder({ dir, epoch: noEpoch, acked: 0, timeoutMs });
    link.close();
    return true;
  } catch (error) {
    return error instanceof HolderRefused && error.code === "old_epoch";
  }
}
