/** Checks a journal for damage: opens it as a host does and reads everything in it. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { Journal, Standing } from "@holdfast/server/data";

interface JournalCounts {
  readonly sessions: number;
  readonly events: number;
}

/** Null when the journal is damaged. Takes the host's lock, so it fails while a host runs. */
export async function checkJournal(data: string): Promise<JournalCounts | null> {
  // Opening a missing journal would create one and hide the loss.
  const { size } = statSync(join(data, "journal.db"), { throwIfNoEntry: false }) ?? { size: 0 };
  if (size < 2) return null;
  const { isWholeFile, openSqliteJournal } = await import("@holdfast/server/data");
  try {
    const journal = await openSqliteJournal({ dir: data });
    try {
      return isWholeFile(data) ? await readAll(journal) : null;
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (error instanceof HostError && error.spec.damage === true) return null;
    throw error;
  }
}

const PAGE = 500;

async function readAll(journal: Journal): Promise<JournalCounts | null> {
  let sessions = 0;
  let events = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const page = await journal.list(query);
    for (const standing of page.sessions) events += await readSession(journal, standing);
    sessions += page.sessions.length;
    cursor = page.cursor;
  }
  return (await journal.damages()).length === 0 ? { sessions, events } : null;
}

async function readSession(journal: Journal, { session, seq, trimmed }: Standing): Promise<number> {
  await journal.base(session);
  // Any key will do: the store checks all once-only facts of the session before it answers.
  await journal.fact(session, { name: "outcome", key: "" });
  let at = trimmed;
  while (at < seq) {
    const slice = await journal.read(session, at, 1000);
    if (slice === null) break;
    at = slice.firstSeq + slice.count - 1;
  }
  return at - trimmed;
}
