import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchOf, eventLine, sessionId, startSession } from "../../testing/journal-steps.ts";
import { openSqliteJournal, type SqliteJournal } from "./open.ts";
import { openAfterCrash } from "./testing/crash-image.ts";
import { temporaryDirectory } from "./testing/test-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let journal: SqliteJournal;

beforeEach(async () => {
  directory = temporaryDirectory();
  journal = await openSqliteJournal({ dir: join(directory.dir, "data") });
});

afterEach(async () => {
  await journal.close();
  directory.remove();
});

test("[P10] every backup taken under load opens by itself and holds a consistent prefix", async () => {
  const sessions = 10;
  const rounds = 20;
  const acked = new Array<number>(sessions).fill(0);
  let isWriting = true;
  const writers = acked.map(async (_, n) => {
    const session = await startSession(journal, 1, n);
    for (let seq = 1; isWriting; seq += 5) {
      acked[n] = seq;
      await journal.append(batchOf(journal, session, seq, 5));
    }
  });
  const backups: { path: string; acked: number[]; events: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = [...acked];
    const { path, events } = await journal.backup(join(directory.dir, "backups", `${round}.db`));
    backups.push({ path, acked: before, events });
  }
  isWriting = false;
  await Promise.all(writers);

  for (const { path, acked: before, events } of backups) {
    const dir = `${path}.d`;
    mkdirSync(dir);
    renameSync(path, join(dir, "journal.db"));
    const { refused, damages, sessions: copied } = openAfterCrash(dir);
    expect([refused, damages]).toEqual([null, []]);
    let held = 0;
    for (const { text, error } of copied.values()) {
      const lines = text.split("\n").length - 1;
      expect(error).toBeNull();
      expect(text).toBe(Array.from({ length: lines }, (_, i) => eventLine(i + 1)).join(""));
      held += lines;
    }
    expect(events).toBe(held);
    for (const [n, seq] of before.entries()) {
      if (seq > 0)
        expect(copied.get(sessionId(n))?.text.length).toBeGreaterThanOrEqual(textLength(seq));
    }
  }
});

function textLength(events: number): number {
  let length = 0;
  for (let seq = 1; seq <= events; seq++) length += eventLine(seq).length;
  return length;
}
