/**
 * The store without its threads, for the thousands of openings of the damage suites: the same boot
 * and the same readers, in this process. Every few trials the whole product is opened instead.
 */

import type { SessionId } from "@holdfast/protocol";
import type { Journal } from "../../packages/server/src/journal/journal.ts";
import { explainDamage } from "../../packages/server/src/journal/sqlite/file/damage.ts";
import { openReading } from "../../packages/server/src/journal/sqlite/file/database.ts";
import { journalFiles } from "../../packages/server/src/journal/sqlite/file/files.ts";
import { Heads } from "../../packages/server/src/journal/sqlite/read/heads.ts";
import { PageReader } from "../../packages/server/src/journal/sqlite/read/read-pages.ts";
import { Records } from "../../packages/server/src/journal/sqlite/read/records.ts";
import { openStore } from "../../packages/server/src/journal/sqlite/write/open-store.ts";
import { refusalError, sessionDamaged } from "../../packages/server/src/journal/store-refusal.ts";

export type BareJournal = Pick<
  Journal,
  "list" | "standing" | "base" | "read" | "fact" | "damages" | "close"
>;

const SMALL_BALLAST = 64 * 1024;

export function openBareJournal(dir: string): BareJournal {
  const files = journalFiles(dir);
  const store = openStore(files, SMALL_BALLAST);
  const database = openReading(files.journal);
  const heads = new Heads(database);
  const pages = new PageReader(database);
  const records = new Records(database);
  const named = <T>(read: () => T) => explainDamage(files.journal, read);
  const placeOf = (session: SessionId) => {
    const place = heads.place(session);
    if (place === null) throw new Error(`${session} has no place`);
    return place;
  };
  return {
    list: async ({ limit }) => ({
      sessions: named(() => heads.list({ limit })).slice(0, limit),
      cursor: null,
    }),
    standing: async (session) => named(() => heads.standing(session)),
    base: async (session) => named(() => records.base(session, placeOf(session))),
    async read(session, after, limit) {
      const { row, settledSeq, damage } = named(() => placeOf(session));
      if (after < settledSeq) {
        return named(() => pages.read(session, row, after, settledSeq, limit));
      }
      if (damage === null) return null;
      throw refusalError(sessionDamaged(session, damage.reason, damage.readableTo));
    },
    fact: async (session, fact) => named(() => records.fact(session, fact)),
    async damages() {
      const marked = named(() => heads.damages());
      const names = new Set(marked.map(({ session }) => session));
      return [...marked, ...store.report.damages.filter(({ session }) => !names.has(session))];
    },
    async close() {
      database.close();
      store.close();
    },
  };
}
