/** A session's records beside its events: facts, cursors and the base. */

import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "@holdfast/protocol";
import type { Base, OnceFact } from "../journal.ts";
import * as no from "../refusal.ts";
import { baseCrc } from "./checksum.ts";

export class Records {
  readonly #fact;
  readonly #cursor;
  readonly #base;

  constructor(database: DatabaseSync) {
    this.#fact = database.prepare(
      "select seq from facts join sessions on session = row where sessions.id = ? and name = ? and key = ?",
    );
    this.#cursor = database.prepare(
      "select n from cursors join sessions on session = row where sessions.id = ? and holder = ?",
    );
    this.#base = database.prepare(
      "select seq, chain, crc, state, transcript from bases where session = ?",
    );
  }

  fact(session: SessionId, { name, key }: OnceFact): number | null {
    const row = this.#fact.get(session, name, key);
    return row ? Number(row.seq) : null;
  }

  cursor(session: SessionId, holder: string): number {
    return Number(this.#cursor.get(session, holder)?.n ?? 0);
  }

  base(session: SessionId, row: number): Base | null {
    const stored = this.#base.get(row) as (Base & { readonly crc: number }) | undefined;
    if (!stored) return null;
    const { crc, ...base } = stored;
    if (baseCrc(row, base) === crc) return base;
    throw no.refusalError(no.sessionDamaged(session, "its base fails its checksum", null));
  }
}
