/** The journal port alone: receives encoded lines and acknowledges them. */

import type { Journal } from "../../packages/server/src/journal/journal.ts";
import { createSessions, openStore } from "../store.ts";
import { preparedLines, type Subject } from "./subject.ts";

export async function open(dir: string, sessions: number): Promise<Subject> {
  return writersOn(await openStore(dir), sessions);
}

export async function writersOn(journal: Journal, sessions: number): Promise<Subject> {
  const lines = preparedLines(sessions);
  const { epoch } = journal;
  const writers = await createSessions(journal, sessions);
  return {
    send(index) {
      const writer = writers[index] as (typeof writers)[number];
      const expectedSeq = writer.seq++;
      const text = lines.at(writer.seq);
      return journal.append({ session: writer.session, epoch, expectedSeq, count: 1, text });
    },
    async close() {
      for (const { session, seq } of writers) {
        const standing = await journal.standing(session);
        if (standing?.seq !== seq) {
          throw new Error(`holdfast: ${session} stands at ${standing?.seq}, not ${seq}`);
        }
      }
      await journal.close();
    },
  };
}
