/** The sum a session's record keeps of its once-only facts and holders, computed from the rows themselves. */

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

  /** As a walk over the session's rows meets them. */
  factsOf(session: number) {
    return this.#facts.all(session);
  }

  holdersOf(session: number) {
    return this.#holders.all(session);
  }
}
