/**
 * Starts a host, and restarts it whenever it is killed, because its agents keep running. A host
 * that exits by itself is not restarted. A host that was started by hand before the restart is
 * watched in the same way.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { exitCodes } from "../exit.ts";
import { isLocked } from "./data-lock.ts";
import { readHostFile } from "./host-file.ts";

interface RestartOptions {
  readonly start: () => ChildProcess;
  readonly data: string;
  readonly say: (line: string) => void;
  /** Monotonic time in ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** A host that is killed within this time of its start counts as killed in a row. */
const SOON_MS = 10_000;
const MOST_SOON = 5;
const FIRST_PAUSE_MS = 200;
/** The time between two looks at a host that was started by hand. */
const STEP_MS = 500;

export async function restartWhenKilled(options: RestartOptions): Promise<number> {
  const { start, data, say, now, sleep } = options;
  let child: ChildProcess | null = null;
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    child?.kill("SIGTERM");
  };
  // Ctrl-C in a terminal reaches this process and the host, so the host may get two signals; it
  // treats them as one.
  process.on("SIGTERM", ask).on("SIGINT", ask);
  try {
    for (let soon = 0, isFirst = true; ; isFirst = false) {
      const since = now();
      child = start();
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      if (code !== null && (isFirst || !isLocked(data))) return code;
      if (isAsked) return exitCodes.failed;
      soon = now() - since < SOON_MS ? soon + 1 : 1;
      if (soon > MOST_SOON) {
        say(
          `holdfast: the host was killed ${soon} times in a row; giving up. Look at its output above, then start it again.`,
        );
        return exitCodes.failed;
      }
      if (code === null) say(`holdfast: the host was killed (${signal}); restarting it …`);
      await sleep(FIRST_PAUSE_MS * 2 ** (soon - 1));
      if (isLocked(data)) {
        say(
          "holdfast: another host was started on this data. If it is killed, this command restarts it.",
        );
        while (!isAsked && isLocked(data)) await sleep(STEP_MS);
        // A host that is stopped removes its file; one that is killed leaves it.
        if (readHostFile(data) === null) return exitCodes.ok;
      }
      if (isAsked) return exitCodes.ok;
    }
  } finally {
    process.off("SIGTERM", ask).off("SIGINT", ask);
  }
}
