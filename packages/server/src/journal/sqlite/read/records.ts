/** A session's records beside its events: facts, cursors and the base. */

import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "@holdfast/protocol";
import type { Base, OnceFact } from "../../journal.ts";
import * as no from "../../store-refusal.ts";
import { baseCrc, cursorCrc } from "../file/checksum.ts";
import { FactSums } from "../file/fact-sums.ts";
import type { StoredSession } from "./heads.ts";

/** Above this many entries the set of verified sessions is cleared. */
const maxWhole = 50_000;

export class Records {
  readonly #sums: FactSums;
  readonly #whole = new Set<number>();
  readonly #record;
  readonly #fact;
  readonly #find;
  readonly #cursor;
  readonly #base;

  constructor(database: DatabaseSync) {
    this.#sums = new FactSums(database);
    this.#record = database.prepare("select row, facts_sum as sum from sessions where id = ?");
    this.#fact = database.prepare(
      "select seq from facts where session = ? and name = ? and key = ?",
    );
    this.#find = database.prepare(
      `select id from facts join sessions on sessions.row = facts.session
       where key = ? and name in ('run', 'created')`,
    );
    this.#cursor = database.prepare("select n, crc from cursors where session = ? and holder = ?");
    this.#base = database.prepare(
      "select seq, chain, crc, state, transcript from bases where session = ?",
    );
  }

  fact(session: SessionId, { name, key }: OnceFact): number | null {
    const row = this.#verified(session);
    const fact = row === null ? undefined : this.#fact.get(row, name, key);
    return fact ? Number(fact.seq) : null;
  }

  find(key: string): SessionId | null {
    return (this.#find.get(key)?.id as SessionId | undefined) ?? null;
  }

  cursor(session: SessionId, holder: string): number {
    const row = this.#verified(session);
    const cursor = row === null ? undefined : this.#cursor.get(row, holder);
    if (!cursor) return 0;
    const n = Number(cursor.n);
    if (cursorCrc(row as number, holder, n) === cursor.crc) return n;
    throw no.refusalError(no.sessionDamaged(session, "an ingest cursor fails its checksum", null));
  }

  /** The session's row; its facts are verified once per process, which finds damage on disk. */
  #verified(session: SessionId): number | null {
    const record = this.#record.get(session) as { row: number; sum: number } | undefined;
    if (!record) return null;
    if (this.#whole.has(record.row)) return record.row;
    if (this.#sums.sumOf(record.row) !== record.sum || !this.#canFindAll(record.row)) {
      throw no.refusalError(
        no.sessionDamaged(session, "its once-only facts fail their checksum", null),
      );
    }
    if (this.#whole.size >= maxWhole) this.#whole.clear();
    this.#whole.add(record.row);
    return record.row;
  }

  /** A row that a scan finds and a key lookup misses lies under a damaged index page. */
  #canFindAll(row: number): boolean {
    const isFound = ({ name, key, seq }: Record<string, unknown>) =>
      this.#fact.get(row, String(name), String(key))?.seq === seq;
    const isHeld = ({ holder }: Record<string, unknown>) =>
      this.#cursor.get(row, String(holder)) !== undefined;
    return this.#sums.factsOf(row).every(isFound) && this.#sums.holdersOf(row).every(isHeld);
  }

  /** A session with trimmed events always has a base; a missing one is damage. */
  base(
    session: SessionId,
    { row, trimmedSeq }: Pick<StoredSession, "row" | "trimmedSeq">,
  ): Base | null {
    const stored = this.#base.get(row) as (Base & { readonly crc: number }) | undefined;
    if (!stored) {
      if (trimmedSeq === 0) return null;
      throw no.refusalError(no.sessionDamaged(session, "its base is gone", null));
    }
    const { crc, ...base } = stored;
    if (baseCrc(row, base) === crc) return base;
    throw no.refusalError(no.sessionDamaged(session, "its base fails its checksum", null));
  }
}
