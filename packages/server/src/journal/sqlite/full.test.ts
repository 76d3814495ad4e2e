import { execFileSync } from "node:child_process";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchOf, readAll, startSession } from "../../testing/journal-steps.ts";
import { openSqliteJournal, type SqliteJournal } from "./open.ts";
import { temporaryDirectory } from "./testing/test-directory.ts";

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn("SKIPPED [P8]: a small file system needs root to mount");

let directory: ReturnType<typeof temporaryDirectory>;
let journal: SqliteJournal;
let filler: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", directory.dir]);
  filler = join(directory.dir, "filler");
  journal = await openSqliteJournal({ dir: join(directory.dir, "data") });
});

afterEach(async () => {
  await journal.close();
  if (isRoot) execFileSync("umount", [directory.dir]);
  directory.remove();
});

function fillDisk(): void {
  const { bavail, bsize } = statfsSync(directory.dir);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
}

test.skipIf(!isRoot)(
  "[P8] on a full disk appends are refused, essential ones and reads go on, and freed space is enough",
  async () => {
    const session = await startSession(journal, 100, 1);
    const other = await startSession(journal, 1, 2);
    fillDisk();
    let seq = 100;
    let refused: unknown;
    // The free pages inside the file may still take a few appends.
    while (refused === undefined) {
      await journal.append(batchOf(journal, session, seq, 200)).then(
        () => {
          seq += 200;
        },
        (error) => {
          refused = error;
        },
      );
    }
    expect(refused).toMatchObject({ code: "journal_full", status: 507 });
    const [ordinary, outcome] = await Promise.allSettled([
      journal.append(batchOf(journal, session, seq, 1)),
      journal.append({
        ...batchOf(journal, other, 1, 1),
        once: [{ name: "outcome", key: "run" }],
        essential: true,
      }),
    ]);
    expect(ordinary).toMatchObject({ status: "rejected", reason: { code: "journal_full" } });
    expect(outcome).toMatchObject({ status: "fulfilled", value: { seq: 2 } });
    expect((await readAll(journal, session)).length).toBe(seq);
    expect((await readAll(journal, other)).length).toBe(2);

    rmSync(filler);
    await expect
      .poll(
        () =>
          journal.append(batchOf(journal, session, seq, 1)).then(
            () => "taken",
            () => "refused",
          ),
        {
          interval: 100,
          timeout: 10_000,
        },
      )
      .toBe("taken");
    await journal.close();
    journal = await openSqliteJournal({ dir: join(directory.dir, "data") });
    expect(await journal.damages()).toEqual([]);
    expect((await readAll(journal, session)).length).toBe(seq + 1);
    expect(await journal.fact(other, { name: "outcome", key: "run" })).toBe(2);
  },
);

test.skipIf(!isRoot)(
  "[P8] a host that starts on a full disk opens, serves reads and can delete",
  async () => {
    const session = await startSession(journal, 500, 1);
    const other = await startSession(journal, 3000, 2);
    await journal.close();
    fillDisk();
    journal = await openSqliteJournal({ dir: join(directory.dir, "data") });
    expect((await readAll(journal, session)).length).toBe(500);
    await journal.remove(other);
    expect(await journal.standing(other)).toBeNull();
  },
);
