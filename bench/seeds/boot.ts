/**
 * A host that had 100,000 sessions and was killed with 1,000 runs going: what boot has to open. The
 * events are what the rules decide, the open runs are spread over all sessions, and the seeding
 * process kills itself after its last acknowledgement, so that the store is as a crash leaves it.
 */

import type { Journal } from "../../packages/server/src/journal/journal.ts";
import type { Job, Metrics } from "../cell.ts";
import { newSessionId, openStore } from "../store.ts";
import { Story } from "../story.ts";

const EVENTS = 10;
/** `work` begins with a tool call: its start and its result. */
const TOOL_EVENTS = 2;
const ending = eventsOfAnEnding();

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { sessions = 100_000, runs = 1_000 } = options;
  const journal = await openStore(dir);
  const every = Math.floor(sessions / runs);
  let events = 0;
  let last: Promise<unknown> = Promise.resolve();
  for (let i = 0; i < sessions; i++) {
    const batch = story(journal, i % every === 0).batch();
    events += batch.count;
    last = journal.append(batch);
    if (!journal.ready) await journal.whenReady();
    if (i % 1000 === 0) await last;
  }
  await last;
  await new Promise<void>((sent) => process.send?.({ sessions, events, runs }, () => sent()));
  process.kill(process.pid, "SIGKILL");
  return { sessions, events, runs };
}

/** Ten events each, whether the run got to its end or not. */
function story(journal: Journal, open: boolean): Story {
  const told = new Story(newSessionId(), journal.epoch).start();
  const left = EVENTS - told.length - (open ? 0 : ending);
  told.work(left - TOOL_EVENTS);
  return open ? told : told.complete();
}

/** Asked of the rules themselves, because they may come to say more about an end than its outcome. */
function eventsOfAnEnding(): number {
  const told = new Story(newSessionId(), 1).start().work(1);
  const before = told.length;
  return told.complete().length - before;
}
