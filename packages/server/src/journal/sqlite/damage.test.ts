import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventLine, sessionId } from "../../testing/journal-steps.ts";
import { pageSize } from "./file/database.ts";
import { metaPage } from "./file/schema.ts";
import {
  commitEvents,
  crashImage,
  openAfterCrash,
  openStoreIn,
  type StoreAfterCrash,
} from "./testing/crash-image.ts";
import { temporaryDirectory } from "./testing/test-directory.ts";
import type { Store } from "./write/store.ts";

let directory: ReturnType<typeof temporaryDirectory>;
let dir: string;
let store: Store;
/** The acknowledged head seq of each session. */
let heads: Map<number, number>;
let images = 0;

beforeEach(() => {
  directory = temporaryDirectory();
  dir = join(directory.dir, "data");
  store = openStoreIn(dir);
  heads = new Map();
});

afterEach(() => {
  store.close();
  directory.remove();
});

const image = () => crashImage(dir, join(directory.dir, `image-${images++}`));

function textTo(seq: number): string {
  return Array.from({ length: seq }, (_, i) => eventLine(i + 1)).join("");
}

/** Checks that every event read is right, and that missing events are reported as damage. */
function expectNothingSilent(
  found: StoreAfterCrash,
  context: string,
  surely: ReadonlyMap<number, number> = heads,
): { named: boolean } {
  if (found.refused !== null) {
    expect(`${context}: ${found.refused}`).toMatch(/data_damaged|data_too_new/);
    return { named: true };
  }
  let named = found.damages.length > 0;
  for (const [n, seq] of heads) {
    const session = sessionId(n);
    const read = found.sessions.get(session);
    const isNamed =
      read?.error != null || found.damages.some((damage) => damage.session === session);
    named ||= isNamed;
    const whole = textTo(seq);
    expect([context, n, whole.startsWith(read?.text ?? "")]).toEqual([context, n, true]);
    const isEnough = (read?.text.length ?? 0) >= textTo(surely.get(n) ?? 0).length;
    if (!isEnough) expect([context, n, isNamed]).toEqual([context, n, true]);
  }
  return { named };
}

function flipBit(path: string, bit: number): void {
  const bytes = readFileSync(path);
  const at = bit >> 3;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
}

interface Group {
  readonly end: number;
  readonly frames: number;
  readonly isSettlement: boolean;
}

const frameBytes = 24 + pageSize;

function groupsIn(log: Buffer): Group[] {
  const groups: Group[] = [];
  let pages: number[] = [];
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) {
    pages.push(log.readUInt32BE(at));
    if (log.readUInt32BE(at + 4) === 0) continue;
    const isSettlement = pages.includes(metaPage);
    groups.push({ end: at + frameBytes, frames: pages.length, isSettlement });
    pages = [];
  }
  return groups;
}

/** mulberry32, so that a failing run can be replayed by its seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function write(groups: number, sessions = 6, events = 3): void {
  const all = Array.from({ length: sessions }, (_, n) => n);
  for (let i = 0; i < groups; i++) commitEvents(store, heads, all, events);
}

describe("[P9] a torn tail", () => {
  test("[F41] cut at any byte of the last commits, the log ends at the last whole one and goes on", () => {
    write(3);
    const before = new Map(heads);
    const wal = join(dir, "journal.db-wal");
    const whole = statSync(wal).size;
    write(1);
    const end = statSync(wal).size;
    for (let size = whole; size < end; size += 331) {
      const torn = image();
      truncateSync(join(torn, "journal.db-wal"), size);
      const found = openAfterCrash(torn);
      expect([found.refused, found.damages]).toEqual([null, []]);
      for (const [n, seq] of before) {
        expect(found.sessions.get(sessionId(n))).toEqual({ text: textTo(seq), error: null });
      }
      const next = openStoreIn(torn);
      const moved = new Map(before);
      expect(commitEvents(next, moved, [0, 1]).refusals).toEqual([]);
      next.close();
      expect(openAfterCrash(torn).sessions.get(sessionId(1))?.text).toBe(textTo(moved.get(1) ?? 0));
      rmSync(torn, { recursive: true });
    }
  });

  test("garbage behind the last whole commit is not taken for events", () => {
    write(3);
    const torn = image();
    appendFileSync(join(torn, "journal.db-wal"), Buffer.alloc(9000, "garbage "));
    const found = openAfterCrash(torn);
    expect(found.damages).toEqual([]);
    for (const [n, seq] of heads) expect(found.sessions.get(sessionId(n))?.text).toBe(textTo(seq));
  });
});

describe("[P9] damage in the middle", () => {
  test("a log row whose body is damaged quarantines the sessions in it; the others run on", () => {
    commitEvents(store, heads, [1, 2]);
    commitEvents(store, heads, [1, 2]);
    commitEvents(store, heads, [3]);
    const damaged = image();
    const database = new DatabaseSync(join(damaged, "journal.db"));
    database.exec(
      "update log set body = cast(replace(cast(body as text), 'number 2', 'number X') as blob) where id = 2",
    );
    database.close();
    const found = openAfterCrash(damaged);
    expect(found.damages.map(({ session }) => session)).toEqual([sessionId(1), sessionId(2)]);
    expect(found.sessions.get(sessionId(1))).toMatchObject({ text: textTo(1), error: /checksum/ });
    expect(found.sessions.get(sessionId(3))).toEqual({ text: textTo(1), error: null });
    const next = openStoreIn(damaged);
    const moved = new Map([
      [1, 1],
      [3, 1],
    ]);
    const { refusals } = commitEvents(next, moved, [1, 3]);
    expect(refusals).toMatchObject([[0, { code: "session_damaged", message: /holdfast repair/ }]]);
    next.close();
    expect(openAfterCrash(damaged).sessions.get(sessionId(3))?.text).toBe(textTo(2));
  });

  test("the sessions whose tail was in a lost log row are reported", () => {
    commitEvents(store, heads, [1, 2]);
    commitEvents(store, heads, [1]);
    commitEvents(store, heads, [1, 3]);
    for (const [gone, text] of [
      [2, textTo(1)],
      [1, ""],
    ] as const) {
      const damaged = image();
      const database = new DatabaseSync(join(damaged, "journal.db"));
      database.prepare("delete from log where id = ?").run(gone);
      database.close();
      const found = openAfterCrash(damaged);
      expectNothingSilent(found, `row ${gone}`);
      expect(found.sessions.get(sessionId(1))?.text).toBe(text);
      expect(found.sessions.get(sessionId(3))).toEqual({ text: textTo(1), error: null });
    }
  });

  test("a log row with an unreadable index puts only those sessions in doubt whose tail may continue in it", () => {
    commitEvents(store, heads, [1, 2]);
    commitEvents(store, heads, [1]);
    commitEvents(store, heads, [2]);
    const damaged = image();
    const database = new DatabaseSync(join(damaged, "journal.db"));
    database.exec("update log set entries_crc = entries_crc + 1 where id = 2");
    database.close();
    const found = openAfterCrash(damaged);
    expect(found.sessions.get(sessionId(1))).toMatchObject({
      text: textTo(1),
      error: /unreadable/,
    });
    expect(found.sessions.get(sessionId(2))).toEqual({ text: textTo(2), error: null });
  });

  test("a lost page is noticed; a session's last page is missed by its record", () => {
    write(60);
    store.close();
    for (const gone of ["min(id)", "max(id)"]) {
      const damaged = image();
      const database = new DatabaseSync(join(damaged, "journal.db"));
      database.exec(`delete from pages where id = (select ${gone} from pages where session = 2)`);
      database.close();
      expect(expectNothingSilent(openAfterCrash(damaged), gone).named).toBe(true);
    }
    store = openStoreIn(dir);
  });

  test("commits behind a damaged frame of the write-ahead log are reported, not dropped silently", () => {
    write(8);
    const damaged = image();
    const path = join(damaged, "journal.db-wal");
    flipBit(path, Math.floor(statSync(path).size / 2) * 8);
    expect(openAfterCrash(damaged).refused).toBe("data_damaged");
  });

  test("a commit frame overwritten by the frame before it is named, whatever group follows", () => {
    write(60, 12, 20);
    const log = readFileSync(join(dir, "journal.db-wal"));
    const groups = groupsIn(log);
    let behindSettlement = 0;
    for (const [n, group] of groups.slice(0, -1).entries()) {
      const next = groups[n + 1] as Group;
      if (group.isSettlement || group.frames < 2) continue;
      const damaged = image();
      const cut = Buffer.from(log.subarray(0, next.end));
      cut.copyWithin(group.end - frameBytes, group.end - 2 * frameBytes, group.end - frameBytes);
      writeFileSync(join(damaged, "journal.db-wal"), cut);
      expect(`group ${n}: ${openAfterCrash(damaged).refused}`).toBe(`group ${n}: data_damaged`);
      rmSync(damaged, { recursive: true });
      if (next.isSettlement) behindSettlement += 1;
    }
    expect(behindSettlement).toBeGreaterThan(3);
  });

  test("any flipped bit is harmless or named, never silent and never a crash", () => {
    const seed = Date.now() % 1e9;
    const next = random(seed);
    write(30);
    // A flipped bit in the last commit looks like a torn commit: that commit may be cut.
    const beforeLast = new Map(heads);
    write(1);
    const crashed = image();
    store.close();
    const clean = image();
    store = openStoreIn(dir);
    const files = [
      join(clean, "journal.db"),
      join(crashed, "journal.db"),
      join(crashed, "journal.db-wal"),
    ];
    for (let i = 0; i < 150; i++) {
      const path = files[i % files.length] as string;
      const from = i % files.length === 0 ? clean : crashed;
      const flipped = crashImage(from, join(directory.dir, "flipped"));
      const bit = Math.floor(next() * statSync(path).size * 8);
      const context = `seed ${seed}, flip ${i}: bit ${bit} of ${path}`;
      flipBit(join(flipped, path.slice(from.length + 1)), bit);
      const surely = path.endsWith("-wal") ? beforeLast : heads;
      expectNothingSilent(openAfterCrash(flipped), context, surely);
      rmSync(flipped, { recursive: true });
    }
  });

  test("any zeroed database page is harmless or named", () => {
    write(30);
    store.close();
    const clean = image();
    store = openStoreIn(dir);
    const pages = statSync(join(clean, "journal.db")).size / 4096;
    for (let page = 0; page < pages; page++) {
      const zeroed = crashImage(clean, join(directory.dir, "zeroed"));
      const path = join(zeroed, "journal.db");
      const bytes = readFileSync(path).fill(0, page * 4096, (page + 1) * 4096);
      writeFileSync(path, bytes);
      expectNothingSilent(openAfterCrash(zeroed), `page ${page}`);
      rmSync(zeroed, { recursive: true });
    }
  });
});
