/** The journal's own follower, which reads to the end of a replay. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { systemClock } from "../../packages/server/src/base/clock.ts";
import type { Journal, Slice } from "../../packages/server/src/journal/journal.ts";
import { Followers } from "../../packages/server/src/session/follow.ts";
import { replayFiles } from "../seeds/replay-files.ts";
import { openStore } from "../store.ts";
import type { ReplaySource } from "./subject.ts";

export async function open(dir: string, events: number): Promise<ReplaySource> {
  const journal = await openStore(join(dir, replayFiles.store));
  // A host calls this before it listens, so no replay waits for the reader thread to start.
  await journal.opened();
  return { slices: await replayOf(journal, dir, events), close: () => journal.close() };
}

/**
 * Returns a function; each call follows the seeded session from its first event to number `events`.
 */
export async function replayOf(journal: Journal, dir: string, events: number) {
  const session = (await readFile(join(dir, replayFiles.session), "utf8")) as SessionId;
  const followers = new Followers(journal, systemClock());
  return async function* slices(): AsyncGenerator<Slice> {
    for await (const step of followers.follow(session, 0)) {
      if (step.type !== "events") throw new Error("holdfast: reset in the middle of a replay");
      yield step.slice;
      if (step.slice.firstSeq + step.slice.count > events) return;
    }
  };
}
