/** Whether a journal is sound: it is opened as a host opens it, and everything in it is read. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { Journal, Standing } from "@holdfast/server";

export interface Sound {
  readonly sessions: number;
  readonly events: number;
}

/** Codes that say that there is something to mend; anything else is no reason to. */
const damage = new Set(["data_damaged", "session_damaged"]);

/** Null when something is damaged. Takes the host's own lock: a running host refuses, and says so. */
export async function soundnessOf(data: string): Promise<Sound | null> {
  // Opening would begin a journal where there is none, as if nothing had been lost.
  const { size } = statSync(join(data, "journal.db"), { throwIfNoEntry: false }) ?? { size: 0 };
  if (size < 2) return null;
  const { isWholeFile, openSqliteJournal } = await import("@holdfast/server");
  try {
    const journal = await openSqliteJournal({ dir: data });
    try {
      return isWholeFile(data) ? await readAll(journal) : null;
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (error instanceof HostError && damage.has(error.code)) return null;
    throw error;
  }
}

const PAGE = 500;

async function readAll(journal: Journal): Promise<Sound | null> {
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
  // Whatever is asked for: the store looks at all once-only facts of a session before it answers.
  await journal.fact(session, { name: "outcome", key: "" });
  let at = trimmed;
  while (at < seq) {
    const slice = await journal.read(session, at, 1000);
    if (slice === null) break;
    at = slice.firstSeq + slice.count - 1;
  }
  return at - trimmed;
}
