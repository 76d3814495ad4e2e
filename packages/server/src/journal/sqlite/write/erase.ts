/** Deletes in slices between commits; the first commit hides the data, and a boot finishes. */

import type { DatabaseSync } from "node:sqlite";
import { stateCrc } from "../file/checksum.ts";
import { pragma } from "../file/database.ts";
import type { Log } from "../file/log.ts";
import type { SessionState, SessionStates } from "../file/session-state.ts";
import type { Settler } from "./settle.ts";

const pagesPerSlice = 32;
const rowsPerSlice = 500;
const vacuumPagesPerSlice = 64;

/** The log reuses freed pages; only pages beyond this number return to the file system. */
const freePagesKept = 1024;

interface Erasure {
  readonly session: number;
  readonly up_to: number | null;
}

export class Erasures {
  readonly #database: DatabaseSync;
  readonly #states: SessionStates;
  readonly #settler: Settler;
  readonly #log: Log;
  #isVacuuming = false;

  constructor(database: DatabaseSync, states: SessionStates, settler: Settler, log: Log) {
    this.#database = database;
    this.#states = states;
    this.#settler = settler;
    this.#log = log;
  }

  /** Hides events up to `upTo`, inside the open transaction; call `next` until it returns false. */
  trim(state: SessionState, upTo: number): void {
    const { row } = state;
    const crc = stateCrc({ ...state, trimmedSeq: upTo }, state.tail.length > 0);
    this.#run("update sessions set trimmed_seq = ?, state_crc = ? where row = ?", upTo, crc, row);
    this.#run("insert or replace into erasures (session, up_to) values (?, ?)", row, upTo);
  }

  /** Hides the session with this transaction; returns the work to do once it is durable. */
  remove(state: SessionState): () => void {
    const released = this.#settler.forget(state);
    this.#run("delete from sessions where row = ?", state.row);
    this.#run("insert or replace into erasures (session, up_to) values (?, null)", state.row);
    return () => {
      this.#states.drop(state);
      this.#log.releaseCommitted(released);
    };
  }

  /** Deletes one slice inside the open transaction; false when the work is done. */
  next(): boolean {
    const erasure = this.#database.prepare("select * from erasures limit 1").get() as
      | Erasure
      | undefined;
    if (!erasure) return this.#vacuum();
    if (this.#deletePages(erasure) === pagesPerSlice) return true;
    if (erasure.up_to === null && this.#deleteRest(erasure.session)) return true;
    this.#run("delete from erasures where session = ?", erasure.session);
    this.#isVacuuming = true;
    return true;
  }

  #deletePages({ session, up_to }: Erasure): number {
    return this.#run(
      `delete from pages where id in (
        select id from pages where session = ?1 and first_seq <= ?2 and first_seq + count - 1 <= ?2 order by first_seq limit ${pagesPerSlice})`,
      session,
      up_to ?? Number.MAX_SAFE_INTEGER,
    );
  }

  #deleteRest(session: number): boolean {
    this.#run("delete from bases where session = ?", session);
    this.#run("delete from cursors where session = ?", session);
    const facts = this.#run(
      `delete from facts where session = ?1 and (name, key) in (
        select name, key from facts where session = ?1 limit ${rowsPerSlice})`,
      session,
    );
    return facts === rowsPerSlice;
  }

  #vacuum(): boolean {
    if (this.#isVacuuming && pragma(this.#database, "freelist_count") > freePagesKept) {
      this.#database.exec(`pragma incremental_vacuum(${vacuumPagesPerSlice})`);
    } else {
      this.#isVacuuming = false;
    }
    return this.#isVacuuming;
  }

  #run(sql: string, ...values: (string | number | null)[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}
