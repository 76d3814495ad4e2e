/** Processes that an agent leaves behind; killing the agent does not end them. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const begin = `
trap '' TERM HUP
end=$(($(date +%s) + 60))
i=0`;

/** Counts in `orphan.log`, with its pid in each line; prints the pid after the first line. */
const counting = `${begin}
while [ "$(date +%s)" -lt "$end" ]; do
  i=$((i + 1))
  echo "$i $$" >> orphan.log
  [ "$i" -gt 1 ] || { echo $$; exec > /dev/null; }
  sleep 0.1
done`;

/** Waits for the agent's end, then writes to its transcript as a second writer. */
const writing = `${begin}
echo $$; exec > /dev/null
while kill -0 "$2" 2> /dev/null; do sleep 0.02; done
while [ "$(date +%s)" -lt "$end" ]; do
  i=$((i + 1))
  printf '{"type":"text","text":" (still %s)"}\\n' "$i" >> "$1"
  sleep 0.05
done`;

export const leaveCounter = (cwd: string): Promise<number> => leave(cwd, counting);

export const leaveWriter = (cwd: string, memory: string): Promise<number> =>
  leave(cwd, writing, memory, String(process.pid));

/** Starts a daemon: forked twice, in its own session, with init as parent. */
async function leave(cwd: string, script: string, ...args: string[]): Promise<number> {
  const fork = 'script=$1; shift; sh -c "$script" sh "$@" &';
  const parent = spawn("sh", ["-c", fork, "sh", script, ...args], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return Number(await text(parent.stdout));
}
