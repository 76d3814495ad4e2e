/**
 * The store of a host with 100,000 sessions that was killed during 1,000 runs. The rules decide the
 * events, and the open runs are spread over all sessions. The seeding process kills itself after
 * its last acknowledgement, so that the store looks as after a crash.
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

/** A session of ten events, with the run open or ended. */
function story(journal: Journal, open: boolean): Story {
  const told = new Story(newSessionId(), journal.epoch).start();
  const left = EVENTS - told.length - (open ? 0 : ending);
  told.work(left - TOOL_EVENTS);
  return open ? told : told.complete();
}

/** Asked of the rules, because an ending may get more events in the future. */
function eventsOfAnEnding(): number {
  const told = new Story(newSessionId(), 1).start().work(1);
  const before = told.length;
  return told.complete().length - before;
}
