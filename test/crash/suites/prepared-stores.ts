/** Stores to be damaged: one closed normally, two left by a kill with their write-ahead logs. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { Driven } from "../children.ts";
import type { Job } from "../driver.ts";
import { newFolder } from "../places.ts";

export interface PreparedStores {
  readonly closed: string;
  readonly killed: string;
  /** A store with little data, for trials at every byte. */
  readonly small: string;
}

export async function preparedStores(): Promise<PreparedStores> {
  const folder = newFolder("prepared");
  const killed = join(folder, "killed");
  const small = join(folder, "small");
  const records = join(folder, "records");
  const live = async (data: string, work: Job["work"], until: string) => {
    const host = new Driven({ data, records, work });
    await host.word(until);
    await host.kill();
  };
  await live(killed, { name: "stories", count: 8, close: true }, "closed");
  // All runs of this store are closed: later reads must match its bytes exactly.
  const closed = join(folder, "closed");
  cpSync(killed, closed, { recursive: true });
  await live(killed, { name: "stories", count: 4, close: false }, "done");
  await live(killed, { name: "renames", count: 5, pauseMs: 0 }, "done");
  await live(small, { name: "renames", count: 8, pauseMs: 0 }, "done");
  return { closed, killed, small };
}
