/** The journal under test, as the host opens it. */

import { randomBytes } from "node:crypto";
import { makeId, type SessionId } from "@holdfast/protocol";
import type { Journal } from "../packages/server/src/journal/journal.ts";
import { openSqliteJournal } from "../packages/server/src/journal/sqlite/open.ts";
import { Story } from "./story.ts";

export function openStore(dir: string): Promise<Journal> {
  return openSqliteJournal({ dir });
}

export function newSessionId(): SessionId {
  return makeId("session", Date.now(), randomBytes(10));
}

/** Creates a session with a running agent, to which a workload appends its events. */
export async function createSession(
  journal: Journal,
): Promise<{ session: SessionId; seq: number }> {
  const session = newSessionId();
  const batch = new Story(session, journal.epoch).start().batch();
  const { seq } = await journal.append(batch);
  return { session, seq };
}

export function createSessions(journal: Journal, count: number) {
  return Promise.all(Array.from({ length: count }, () => createSession(journal)));
}
