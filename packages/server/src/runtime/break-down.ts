/** Kills a real process, to demonstrate that a session recovers. */

import { HostError } from "@holdfast/protocol";
import { isSameProcess } from "../base/processes.ts";
import { readAgent, readIdentity } from "../holder/directory/identity.ts";

export function breakDown(holder: string | null, what: "host" | "holder" | "agent"): void {
  if (what === "host") {
    // Leaves time to send the reply first.
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);
    return;
  }
  const identity =
    holder === null ? null : what === "holder" ? readIdentity(holder) : readAgent(holder);
  if (identity === null || !("pid" in identity) || !isSameProcess(identity)) {
    throw new HostError(
      "not_open",
      `The session has no ${what} to break now. Send it a message first.`,
    );
  }
  process.kill(identity.pid, "SIGKILL");
}
