import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventLine, sessionId } from "../../testing/journal-steps.ts";
import { commitEvents, crashImage, nextLife, openStoreIn } from "./crash-image.ts";
import { pageSize } from "./database.ts";
import { repairSqliteJournal } from "./repair.ts";
import { temporaryDirectory } from "./test-directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let dir: string;
let heads: Map<number, number>;

beforeEach(() => {
  directory = temporaryDirectory();
  heads = new Map();
  const live = join(directory.dir, "live");
  const store = openStoreIn(live);
  for (let i = 0; i < 100; i++) commitEvents(store, heads, [0, 1, 2, 3], 4);
  dir = crashImage(live, join(directory.dir, "data"));
  store.close();
});

afterEach(() => directory.remove());

function textTo(seq: number): string {
  return Array.from({ length: seq }, (_, i) => eventLine(i + 1)).join("");
}

function change(sql: string): void {
  const database = new DatabaseSync(join(dir, "journal.db"));
  database.exec(sql);
  database.close();
}

function overwrite(name: string, at: number, length: number): void {
  const path = join(dir, name);
  writeFileSync(path, readFileSync(path).fill(0xaa, at, at + length));
}

/** After a repair every session is sound, readable up to what was kept, and takes new events. */
async function repairAndCheck() {
  const report = await repairSqliteJournal(dir);
  expect(existsSync(report.damaged)).toBe(true);
  expect(readdirSync(dir).filter((name) => name.includes("repair"))).toEqual([]);
  const found = nextLife(dir);
  expect([found.refused, found.damages]).toEqual([null, []]);
  for (const { session, kept } of report.sessions) {
    expect(found.sessions.get(session)).toEqual({ text: textTo(kept.to), error: null });
  }
  const store = openStoreIn(dir);
  const kept = new Map(report.sessions.map(({ kept }, n) => [n, kept.to]));
  expect(commitEvents(store, kept, [...kept.keys()]).refusals).toEqual([]);
  store.close();
  return report;
}

test("a sound journal comes through whole", async () => {
  const { sessions } = await repairAndCheck();
  expect(sessions).toEqual(
    [0, 1, 2, 3].map((n) => ({
      session: sessionId(n),
      kept: { from: 1, to: heads.get(n) },
      lost: null,
      isHeadLost: false,
    })),
  );
});

test("damage inside one session costs that session its end, and the report says how much", async () => {
  nextLife(dir);
  change(
    "update pages set crc = crc + 1 where id = (select id from pages where session = 2 limit 1 offset 1)",
  );
  const first = statSync(join(dir, "journal.db")).size;
  const { sessions, damaged } = await repairAndCheck();
  expect(statSync(damaged).size).toBe(first);
  expect(sessions[1]?.kept.to).toBeGreaterThan(0);
  expect(sessions[1]?.lost).toEqual({ from: (sessions[1]?.kept.to ?? 0) + 1, to: heads.get(1) });
  for (const n of [0, 2, 3])
    expect(sessions[n]).toMatchObject({ kept: { to: heads.get(n) }, lost: null });
});

test("a base stands for what is damaged below it", async () => {
  nextLife(dir);
  const store = openStoreIn(dir);
  const last = heads.get(1) ?? 0;
  store.putBase(sessionId(1), { seq: last - 3, chain: 1, state: "{}", transcript: "[]" });
  store.close();
  change("delete from pages where id = (select min(id) from pages where session = 2)");
  const { sessions } = await repairSqliteJournal(dir);
  expect(sessions[1]).toMatchObject({ kept: { from: last - 2, to: last }, lost: null });
  expect(nextLife(dir).sessions.get(sessionId(1))?.text).toBe(
    textTo(last).slice(textTo(last - 3).length),
  );
});

test("a damaged frame in the write-ahead log costs at most what it held", async () => {
  overwrite("journal.db-wal", Math.floor(statSync(join(dir, "journal.db-wal")).size / 2), 16);
  expect(nextLife(dir).refused).toBe("data_damaged");
  const { sessions } = await repairAndCheck();
  expect(sessions.length).toBe(4);
});

test("a lost header and first page are made anew", async () => {
  nextLife(dir);
  for (const length of [100, pageSize]) {
    overwrite("journal.db", 0, length);
    expect(nextLife(dir).refused).toBe("data_damaged");
    const { sessions } = await repairAndCheck();
    expect(sessions.map(({ lost }) => lost)).toEqual([null, null, null, null]);
    for (const [n, seq] of heads) heads.set(n, seq + 1);
  }
});

test("a lost page anywhere leaves a journal that can be repaired", async () => {
  nextLife(dir);
  const whole = readFileSync(join(dir, "journal.db"));
  for (let page = 1; page < whole.length / pageSize; page += 5) {
    writeFileSync(join(dir, "journal.db"), whole);
    overwrite("journal.db", page * pageSize, pageSize);
    await repairSqliteJournal(dir);
    const found = nextLife(dir);
    expect([page, found.refused, found.damages]).toEqual([page, null, []]);
    for (const [n, seq] of heads) {
      const text = found.sessions.get(sessionId(n))?.text;
      if (text !== undefined) expect(textTo(seq).startsWith(text)).toBe(true);
    }
  }
});
