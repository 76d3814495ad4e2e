/**
 * For damage tests: a store at work without threads, the files a crash leaves of it, and the
 * sessions that the next boot reads from them.
 */

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@holdfast/protocol";
import { HostError } from "@holdfast/protocol/errors";
import { eventLine, headOf, sessionId } from "../../../testing/journal-steps.ts";
import type { Damage } from "../../journal.ts";
import { openReading } from "../file/database.ts";
import { journalFiles, makeDirectory } from "../file/files.ts";
import { isDamage } from "../file/sqlite-error.ts";
import { Heads } from "../read/heads.ts";
import { PageReader } from "../read/read-pages.ts";
import {
  type AckMessage,
  batchField,
  batchFields,
  type Extra,
  type GroupMessage,
} from "../write/messages.ts";
import { openStore } from "../write/open-store.ts";
import type { Store } from "../write/store.ts";
import { ballastBytes } from "./test-directory.ts";

/** Appends `count` events to each of the sessions in one group commit, and updates `heads`. */
export function commitEvents(
  store: Store,
  heads: Map<number, number>,
  sessions: number[],
  count = 1,
): AckMessage {
  const extras: Extra[] = [];
  const index = new Uint32Array(sessions.length * batchFields);
  let text = "";
  for (const [i, n] of sessions.entries()) {
    const at = i * batchFields;
    const seq = heads.get(n) ?? 0;
    let lines = "";
    for (let k = 1; k <= count; k++) lines += eventLine(seq + k);
    index[at + batchField.expectedSeq] = seq;
    index[at + batchField.count] = count;
    index[at + batchField.bytes] = lines.length;
    index[at + batchField.extra] = extras.push({
      session: sessionId(n),
      ...(seq === 0 && { head: headOf() }),
    });
    text += lines;
    heads.set(n, seq + count);
  }
  const body = new TextEncoder().encode(text);
  const ack = store.commit({ index, body, extras } satisfies GroupMessage);
  store.afterGroup(body.length);
  return ack;
}

export function openStoreIn(dir: string): Store {
  makeDirectory(dir);
  return openStore(journalFiles(dir), ballastBytes);
}

/** The files as a kill -9 would leave them. */
export function crashImage(dir: string, to: string): string {
  mkdirSync(to);
  for (const name of ["journal.db", "journal.db-wal"]) {
    if (existsSync(join(dir, name))) copyFileSync(join(dir, name), join(to, name));
  }
  return to;
}

export interface StoreAfterCrash {
  /** The error code when the whole store was refused. */
  readonly refused: string | null;
  readonly damages: readonly Damage[];
  /** Per session: the events that could be read in order, and the error that ended the reading. */
  readonly sessions: ReadonlyMap<SessionId, { text: string; error: string | null }>;
}

export function openAfterCrash(dir: string): StoreAfterCrash {
  let store: Store;
  try {
    store = openStoreIn(dir);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { refused: error.code, damages: [], sessions: new Map() };
  }
  const { damages } = store.report;
  const database = openReading(join(dir, "journal.db"));
  const heads = new Heads(database);
  const pages = new PageReader(database);
  const sessions = new Map(
    heads.list({ limit: 1e6 }).map(({ session }) => [session, readSession(session, heads, pages)]),
  );
  database.close();
  store.close();
  return { refused: null, damages, sessions };
}

function readSession(session: SessionId, heads: Heads, pages: PageReader) {
  let text = "";
  try {
    const place = heads.place(session);
    if (!place) return { text, error: "not found by its id" };
    for (let after = place.trimmedSeq; after < place.settledSeq; ) {
      const slice = pages.read(session, place.row, after, place.settledSeq, 1000);
      text += Buffer.from(slice.bytes).toString();
      after += slice.count;
    }
    return { text, error: place.damage?.reason ?? null };
  } catch (error) {
    if (!(error instanceof HostError || isDamage(error))) throw error;
    return { text, error: error instanceof Error ? error.message : "" };
  }
}
