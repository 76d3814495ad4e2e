/** Stores to be damaged: one closed in peace, two left by a kill with their write-ahead logs. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { Driven } from "../children.ts";
import type { Job } from "../driver.ts";
import { newFolder } from "../places.ts";

export interface PreparedStores {
  readonly closed: string;
  readonly killed: string;
  /** Little in it, for what is tried at every byte. */
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
  // Nothing is open in this one: what is read later must be what was written, to the byte.
  const closed = join(folder, "closed");
  cpSync(killed, closed, { recursive: true });
  await live(killed, { name: "stories", count: 4, close: false }, "done");
  await live(killed, { name: "renames", count: 5, pauseMs: 0 }, "done");
  await live(small, { name: "renames", count: 8, pauseMs: 0 }, "done");
  return { closed, killed, small };
}
