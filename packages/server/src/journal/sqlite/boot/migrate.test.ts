import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { headOf, sessionId, startSession } from "../../../testing/journal-steps.ts";
import { openWriting, pragma } from "../file/database.ts";
import { metaPage, schemaVersion } from "../file/schema.ts";
import { openSqliteJournal } from "../open.ts";
import { putBackToFormatOne } from "../testing/format-one.ts";
import { ballastBytes, temporaryDirectory } from "../testing/test-directory.ts";
import { type Migration, migrate } from "./migrate.ts";

const next = schemaVersion + 1;
const addColumn: Migration = {
  to: next,
  run: (database) => database.exec("alter table meta add column name text"),
};

function withDatabase(work: (database: DatabaseSync, path: string, dir: string) => void): void {
  const { dir, remove } = temporaryDirectory();
  const path = join(dir, "journal.db");
  const database = openWriting(path);
  migrate(database, path);
  work(database, path, dir);
  database.close();
  remove();
}

test("a migration keeps a copy of the file as it was, then runs", () => {
  withDatabase((database, path, dir) => {
    migrate(database, path, next, [addColumn]);
    expect(pragma(database, "user_version")).toBe(next);
    const copy = readdirSync(dir).find((name) => name.startsWith(`journal.db.v${schemaVersion}-`));
    const before = new DatabaseSync(join(dir, copy ?? ""), { readOnly: true });
    expect(pragma(before, "user_version")).toBe(schemaVersion);
    expect(pragma(before, "integrity_check") || "ok").toBeTruthy();
    before.close();
    migrate(database, path, next, [addColumn]);
    expect(readdirSync(dir).filter((name) => name.includes(".v")).length).toBe(1);
  });
});

test("a step that fails leaves the file at its version", () => {
  withDatabase((database, path) => {
    const failing: Migration = {
      to: next,
      run(db) {
        addColumn.run(db);
        throw new Error("no");
      },
    };
    expect(() => migrate(database, path, next, [failing])).toThrow("no");
    expect(pragma(database, "user_version")).toBe(schemaVersion);
    migrate(database, path, next, [addColumn]);
    expect(pragma(database, "user_version")).toBe(next);
  });
});

test("a version without a migration step to it is refused", () => {
  withDatabase((database, path) => {
    expect(() => migrate(database, path, next, [])).toThrow(/no migration/);
  });
});

test("the settlements' page is where the write-ahead log's check looks for it", () => {
  withDatabase((database) => {
    const meta = database.prepare("select rootpage from sqlite_schema where name = 'meta'").get();
    expect(meta?.rootpage).toBe(metaPage);
  });
});

test("a journal of format 1 lists what waits or was interrupted first, as soon as it is open", async () => {
  const { dir, remove } = temporaryDirectory();
  const first = await openSqliteJournal({ dir, ballastBytes });
  await startSession(first, 1, 1, headOf({ status: "waiting" }));
  await startSession(first, 1, 2, headOf({ status: "interrupted_startup" }));
  await startSession(first, 1, 3, headOf({ status: "waiting", lifecycle: "ended" }));
  await startSession(first, 1, 4, headOf({ updatedAt: 100 }));
  await first.close();
  putBackToFormatOne(dir);
  const next = await openSqliteJournal({ dir, ballastBytes });
  const { sessions } = await next.list({ limit: 9 });
  expect(sessions.map(({ session }) => session)).toEqual([1, 2, 4, 3].map(sessionId));
  expect(await next.needs("tenant")).toEqual({ waiting: 1, interrupted: 1, failed: 0 });
  expect((await next.outdatedHeads()).map(({ session }) => session)).toEqual([3, 4].map(sessionId));
  expect(await next.damages()).toEqual([]);
  await next.close();
  remove();
});
