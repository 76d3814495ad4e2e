/** Computes a session's `facts_sum` from the rows of its once-only facts and holders. */

import type { DatabaseSync } from "node:sqlite";
import { factCrc, holderCrc } from "./checksum.ts";

export class FactSums {
  readonly #facts;
  readonly #holders;

  constructor(database: DatabaseSync) {
    this.#facts = database.prepare("select name, key, seq from facts where session = ?");
    this.#holders = database.prepare("select holder from cursors where session = ?");
  }

  sumOf(session: number): number {
    let sum = 0;
    for (const { name, key, seq } of this.factsOf(session)) {
      sum ^= factCrc(String(name), String(key), Number(seq));
    }
    for (const { holder } of this.holdersOf(session)) sum ^= holderCrc(String(holder));
    return sum >>> 0;
  }

  /** The session's facts, read by a scan over its rows. */
  factsOf(session: number) {
    return this.#facts.all(session);
  }

  holdersOf(session: number) {
    return this.#holders.all(session);
  }
}
