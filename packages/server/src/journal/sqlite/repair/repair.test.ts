import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventLine, sessionId } from "../../../testing/journal-steps.ts";
import { pageSize } from "../file/database.ts";
import { commitEvents, crashImage, openAfterCrash, openStoreIn } from "../testing/crash-image.ts";
import { putBackToFormatOne } from "../testing/format-one.ts";
import { temporaryDirectory } from "../testing/test-directory.ts";
import { repairSqliteJournal } from "./repair.ts";

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

/**
 * Checks that after a repair every session is sound, readable up to `kept.to`, and accepts new
 * events.
 */
async function repairAndCheck() {
  const report = await repairSqliteJournal(dir);
  expect(existsSync(report.damaged)).toBe(true);
  expect(readdirSync(dir).filter((name) => name.includes("repair"))).toEqual([]);
  const found = openAfterCrash(dir);
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

test("damage inside one session costs that session its last events, and the report says how many", async () => {
  openAfterCrash(dir);
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

/** The places of the row numbers in the first leaf page of the sessions' table; each takes one byte. */
function rowNumbers(file: Uint8Array, root: number): number[] {
  const start = (root - 1) * pageSize;
  const page = new DataView(file.buffer, file.byteOffset + start, pageSize);
  expect(page.getUint8(0)).toBe(0x0d);
  return Array.from({ length: page.getUint16(3) }, (_, i) => {
    let at = page.getUint16(8 + 2 * i);
    // The length of the record comes first, seven bits a byte.
    while ((page.getUint8(at++) & 0x80) !== 0);
    return start + at;
  });
}

test.each([0, 1, 2, 3, 4, 5, 6])(
  "a session keeps its own events when bit %i of a session's row number is flipped [P9]",
  async (bit) => {
    openAfterCrash(dir);
    const store = openStoreIn(dir);
    // Sessions of different lengths, so that the events of another one show.
    for (const n of [1, 2, 3]) commitEvents(store, heads, [n], n);
    store.close();
    openAfterCrash(dir);
    const path = join(dir, "journal.db");
    const database = new DatabaseSync(path);
    database.exec("pragma wal_checkpoint(truncate)");
    const master = "select rootpage from sqlite_master where name = 'sessions'";
    const root = Number(database.prepare(master).get()?.rootpage);
    database.close();
    const sound = readFileSync(path);
    for (const at of rowNumbers(sound, root)) {
      const damaged = Uint8Array.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      writeFileSync(path, damaged);
      rmSync(`${path}-wal`, { force: true });
      const { sessions } = await repairSqliteJournal(dir);
      expect(sessions.map(({ session, kept }) => [session, kept.to])).toEqual(
        [0, 1, 2, 3].map((n) => [sessionId(n), heads.get(n)]),
      );
    }
  },
);

test("a base replaces damaged events below it", async () => {
  openAfterCrash(dir);
  const store = openStoreIn(dir);
  const last = heads.get(1) ?? 0;
  store.putBase(sessionId(1), { seq: last - 3, chain: 1, state: "{}", transcript: "[]" });
  store.close();
  change("delete from pages where id = (select min(id) from pages where session = 2)");
  const { sessions } = await repairSqliteJournal(dir);
  expect(sessions[1]).toMatchObject({ kept: { from: last - 2, to: last }, lost: null });
  expect(openAfterCrash(dir).sessions.get(sessionId(1))?.text).toBe(
    textTo(last).slice(textTo(last - 3).length),
  );
});

test("a damaged frame in the write-ahead log costs at most what it held", async () => {
  overwrite("journal.db-wal", Math.floor(statSync(join(dir, "journal.db-wal")).size / 2), 16);
  expect(openAfterCrash(dir).refused).toBe("data_damaged");
  const { sessions } = await repairAndCheck();
  expect(sessions.length).toBe(4);
});

test("a bit flipped in the name of a column, in the file and in its log, costs nothing", async () => {
  for (const name of ["journal.db", "journal.db-wal"]) {
    const path = join(dir, name);
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf("created_at"); at >= 0; at = bytes.indexOf("created_at", at + 1)) {
      bytes.write("crdated_at", at);
    }
    writeFileSync(path, bytes);
  }
  expect(openAfterCrash(dir).refused).toBe("data_damaged");
  const { sessions } = await repairAndCheck();
  expect(sessions.map(({ lost }) => lost)).toEqual([null, null, null, null]);
});

test("a lost header and first page are rebuilt", async () => {
  openAfterCrash(dir);
  for (const length of [100, pageSize]) {
    overwrite("journal.db", 0, length);
    expect(openAfterCrash(dir).refused).toBe("data_damaged");
    const { sessions } = await repairAndCheck();
    expect(sessions.map(({ lost }) => lost)).toEqual([null, null, null, null]);
    for (const [n, seq] of heads) heads.set(n, seq + 1);
  }
});

test("a lost page anywhere leaves a journal that can be repaired", async () => {
  openAfterCrash(dir);
  const whole = readFileSync(join(dir, "journal.db"));
  for (let page = 1; page < whole.length / pageSize; page += 5) {
    writeFileSync(join(dir, "journal.db"), whole);
    overwrite("journal.db", page * pageSize, pageSize);
    await repairSqliteJournal(dir);
    const found = openAfterCrash(dir);
    expect([page, found.refused, found.damages]).toEqual([page, null, []]);
    for (const [n, seq] of heads) {
      const text = found.sessions.get(sessionId(n))?.text;
      if (text !== undefined) expect(textTo(seq).startsWith(text)).toBe(true);
    }
  }
});

test("a journal cut within its first bytes counts as damaged, and its log is kept", async () => {
  const whole = dir;
  // Around the borders of the file's header: its magic, page size, version fields and end.
  for (const length of [0, 1, 2, 15, 16, 18, 24, 28, 59, 60, 96, 99, 100, 101, 120]) {
    dir = join(directory.dir, `cut-${length}`);
    cpSync(whole, dir, { recursive: true });
    truncateSync(join(dir, "journal.db"), length);
    if (length < 2) expect(openAfterCrash(dir).refused).toBe("data_damaged");
    const { sessions, damaged } = await repairSqliteJournal(dir);
    expect(sessions.map(({ kept }) => kept.to)).toEqual([...heads.values()]);
    expect(openAfterCrash(dir)).toMatchObject({ refused: null, damages: [] });

    const cut = readFileSync(damaged);
    writeFileSync(join(dir, "journal.db"), cut);
    rmSync(join(dir, "journal.db-wal"), { force: true });
    await expect(repairSqliteJournal(dir), String(length)).rejects.toMatchObject({
      code: "data_damaged",
      message: /Restore it from a backup/,
    });
    expect(readFileSync(join(dir, "journal.db")).equals(cut)).toBe(true);
    rmSync(dir, { recursive: true });
  }
});

test("a log without its journal is repaired, not deleted", async () => {
  rmSync(join(dir, "journal.db"));
  expect(openAfterCrash(dir).refused).toBe("data_damaged");
  expect(readdirSync(dir)).not.toContain("journal.db");
  const { sessions } = await repairAndCheck();
  expect(sessions.map(({ kept }) => kept.to)).toEqual([...heads.values()]);
});

/** A repair that is killed at the moment it would rename the new journal into place. */
const killedRepair = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  fs.renameSync = () => process.kill(process.pid, "SIGKILL");
  syncBuiltinESMExports();
  const { repairSqliteJournal } = await import(process.argv[1]);
  await repairSqliteJournal(process.argv[2]);
`;

test("a repair removes the work directories of killed repairs, and keeps files with similar names", async () => {
  const args = ["--conditions=holdfast-source", "--input-type=module", "-e", killedRepair];
  for (let i = 0; i < 2; i++) {
    const { signal } = spawnSync(process.execPath, [
      ...args,
      new URL("./repair.ts", import.meta.url).href,
      dir,
    ]);
    expect(signal).toBe("SIGKILL");
    expect(readdirSync(dir).filter((name) => name.startsWith("repairing-")).length).toBe(1);
  }
  expect(openAfterCrash(dir).refused).toBe("data_damaged");

  const others = ["repairing-", "repairing-me", "repairing-20260101T000000000Z.old", "notes"];
  for (const name of others) mkdirSync(join(dir, name));
  const [file, link] = ["repairing-20260101T000000000Z", "repairing-20260101T000000001Z"];
  writeFileSync(join(dir, file), "mine");
  symlinkSync(join(dir, "notes"), join(dir, link));
  writeFileSync(join(dir, "notes", "kept"), "mine");
  const before = readdirSync(dir);
  await repairSqliteJournal(dir);
  const gone = before.filter((name) => !existsSync(join(dir, name)));
  expect(gone.sort()).toEqual(["journal.db.needs-repair", expect.stringMatching(/^repairing-/)]);
  expect(readdirSync(dir)).toEqual(expect.arrayContaining([...others, file, link]));
  expect(existsSync(join(dir, "notes", "kept"))).toBe(true);
  expect(openAfterCrash(dir)).toMatchObject({ refused: null, damages: [] });
});

test("a journal of format 1 comes through whole, in the format of today", async () => {
  putBackToFormatOne(dir);
  const { sessions } = await repairAndCheck();
  expect(sessions.map(({ kept, isHeadLost }) => [kept.to, isHeadLost])).toEqual(
    [0, 1, 2, 3].map((n) => [heads.get(n), false]),
  );
});
