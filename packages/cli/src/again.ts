/**
 * A host, and another one whenever it was killed: what it held goes on, so somebody should take it up.
 * One that ends by itself had a reason, and is left ended.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { exitCodes } from "./exit.ts";

export interface Again {
  readonly start: () => ChildProcess;
  readonly say: (line: string) => void;
  /** Steady time in ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Whoever is killed again within this time was killed by something that will not stop. */
const SOON_MS = 10_000;
const MOST_SOON = 5;
const FIRST_PAUSE_MS = 200;

/** Resolves with the exit code of the last one. */
export async function again({ start, say, now, sleep }: Again): Promise<number> {
  let child: ChildProcess | null = null;
  let isAsked = false;
  const ask = () => {
    isAsked = true;
    child?.kill("SIGTERM");
  };
  // A terminal's Ctrl-C reaches both: being asked twice is the same to a host as being asked once.
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
