/**
 * Starts a host, and restarts it whenever it is killed, because its agents keep running. A host
 * that exits by itself is not restarted.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { exitCodes } from "./exit.ts";

export interface RestartOptions {
  readonly start: () => ChildProcess;
  readonly say: (line: string) => void;
  /** Monotonic time in ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** A host that is killed within this time of its start counts as killed in a row. */
const SOON_MS = 10_000;
const MOST_SOON = 5;
const FIRST_PAUSE_MS = 200;

/** Resolves with the exit code of the last host. */
export async function restartWhenKilled({
  start,
  say,
  now,
  sleep,
}: RestartOptions): Promise<number> {
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
    for (let soon = 0; ; ) {
      const since = now();
      child = start();
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      if (code !== null) return code;
      if (isAsked) return exitCodes.failed;
      soon = now() - since < SOON_MS ? soon + 1 : 1;
      if (soon > MOST_SOON) {
        say(`holdfast: the host was killed ${soon} times in a row; it is not started again.`);
        return exitCodes.failed;
      }
      say(`holdfast: the host was killed (${signal}); starting it again …`);
      await sleep(FIRST_PAUSE_MS * 2 ** (soon - 1));
      if (isAsked) return exitCodes.ok;
    }
  } finally {
    process.off("SIGTERM", ask).off("SIGINT", ask);
  }
}
