/**
 * The reader thread, on a read-only connection. Statements, iterators and transactions end with the
 * message that started them. Damage is reported as an error to the caller; it never ends the
 * process.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import type { ListQuery, OnceFact } from "../../journal.ts";
import * as no from "../../store-refusal.ts";
import { openReading } from "../file/database.ts";
import type { JournalFiles } from "../file/files.ts";
import { isDamage } from "../file/sqlite-error.ts";
import { Heads, type StoredSession } from "../read/heads.ts";
import { PageReader } from "../read/read-pages.ts";
import { Records } from "../read/records.ts";
import { answerCall, type Calls, isCall, isLeave, Moved } from "./calls.ts";

const port = parentPort as MessagePort;
let database: ReturnType<typeof openReading>;
let heads: Heads;
let pages: PageReader;
let records: Records;

const calls = {
  /** Call after the writer has created the file. */
  start() {
    database = openReading((workerData as JournalFiles).journal);
    heads = new Heads(database);
    pages = new PageReader(database);
    records = new Records(database);
  },
  /** `upTo`: the seq at which the main thread's tail begins; null when it has no tail of this session. */
  read(session: SessionId, after: number, upTo: number | null, limit: number) {
    // One consistent view of the file: between two statements, trimming could delete pages.
    database.exec("begin");
    try {
      const slice = readIn(session, after, upTo, limit);
      return slice && new Moved(slice, [slice.bytes.buffer as ArrayBuffer]);
    } finally {
      database.exec("rollback");
    }
  },
  standing: (session: SessionId, tenant: string | null) => heads.standing(session, tenant),
  list: (query: ListQuery) => heads.list(query),
  needs: (tenant: string) => heads.needs(tenant),
  outdatedHeads: () => heads.outdated(),
  opened: () => heads.opened(),
  due: (until: number, limit: number) => heads.due(until, limit),
  damages: () => heads.damages(),
  fact: (session: SessionId, fact: OnceFact) => records.fact(session, fact),
  find: (key: string) => records.find(key),
  cursor: (session: SessionId, holder: string) => records.cursor(session, holder),
  base: (session: SessionId) => records.base(session, placeOf(session)),
} satisfies Calls;

export type ReaderCalls = typeof calls;

port.on("message", (message: object) => {
  if (isLeave(message)) port.close();
  else if (isCall(message)) void answerCall(port, calls, message, explain);
});

function readIn(session: SessionId, after: number, upTo: number | null, limit: number) {
  const { row, settledSeq, trimmedSeq, damage } = placeOf(session);
  const end = upTo ?? settledSeq;
  if (after < trimmedSeq) throw no.refusalError(no.belowRetention(session, after, trimmedSeq));
  if (after >= end && damage) {
    throw no.refusalError(no.sessionDamaged(session, damage.reason, damage.readableTo));
  }
  if (after > end) throw no.refusalError(no.cursorAhead(session, after, end));
  return after === end ? null : pages.read(session, row, after, end, limit);
}

function placeOf(session: SessionId): StoredSession {
  const place = heads.place(session);
  if (!place) throw no.refusalError(no.sessionNotFound(session));
  return place;
}

function explain(error: unknown): HostError {
  if (!isDamage(error)) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  return new HostError(
    "data_damaged",
    `Part of the journal cannot be read (${reason}). Stop the host and run "holdfast repair".`,
    { reason },
  );
}
