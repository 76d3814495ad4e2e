import { afterEach, beforeEach, expect, test } from "vitest";
import { headOf, sessionId } from "../../testing/journal-steps.ts";
import { openSqliteJournal, type SqliteJournal } from "./open.ts";
import { ballastBytes, temporaryDirectory } from "./testing/test-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let journal: SqliteJournal;

beforeEach(async () => {
  directory = temporaryDirectory();
  journal = await openSqliteJournal({ dir: directory.dir, ballastBytes });
});

afterEach(async () => {
  await journal.close();
  directory.remove();
});

const padding = "x".repeat(3000);
const line = (seq: number) => `{"seq":${seq},"p":"${padding}"}\n`;

test("[RX-5] followers at the head, a little behind and far behind see every event once while tails settle", async () => {
  const total = 1200;
  const session = sessionId(1);
  let head = 0;
  const waiting = new Set<() => void>();
  journal.onAppend((_, seq) => {
    head = seq;
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const write = async () => {
    for (let seq = 0; seq < total; seq++) {
      const text = line(seq + 1);
      const batch = { session, epoch: journal.epoch, expectedSeq: seq, count: 1, text };
      await journal.append(seq === 0 ? { ...batch, head: headOf() } : batch);
    }
  };
  const reach = async (seq: number) => {
    while (head < seq) await new Promise<void>((resolve) => waiting.add(resolve));
  };
  const follow = async (lag: number, limit: number) => {
    for (let at = 0; at < total; ) {
      await reach(Math.min(total, at + 1 + lag));
      const slice = await journal.read(session, at, limit);
      expect(slice?.firstSeq).toBe(at + 1);
      const text = Buffer.from(slice?.bytes ?? []).toString();
      const count = slice?.count ?? 0;
      let wanted = "";
      for (let seq = at + 1; seq <= at + count; seq++) wanted += line(seq);
      if (text !== wanted) throw new Error(`wrong bytes after ${at}`);
      at += count;
    }
  };
  await Promise.all([
    write(),
    follow(0, 1000),
    follow(0, 1),
    follow(20, 5),
    follow(70, 3),
    follow(100, 50),
    follow(600, 1000),
  ]);
});
