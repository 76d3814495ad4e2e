/** A process that gets away: what an agent can leave behind, and killing the agent does not end. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/**
 * Each line is the count and the process id, so that a test can watch it and end it. Its id on stdout,
 * which it then closes, says that the first line is written.
 */
const SCRIPT = `
trap '' TERM HUP
end=$(($(date +%s) + 60))
i=0
while [ "$(date +%s)" -lt "$end" ]; do
  i=$((i + 1))
  echo "$i $$" >> orphan.log
  [ "$i" -gt 1 ] || { echo $$; exec > /dev/null; }
  sleep 0.1
done`;

/** Forked twice and in a session of its own: its parent is init, its group is no one's. */
export async function leaveOrphan(cwd: string): Promise<number> {
  const parent = spawn("sh", ["-c", 'sh -c "$1" &', "sh", SCRIPT], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return Number(await text(parent.stdout));
}
