/** What to do when a replica is not what its host has: ask again, read it anew once, then say so. */

export type Remedy = "ask_again" | "read_anew" | "report";

export class Trust {
  #gapAt: number | null = null;
  /** Where it was read anew, until something later proved sound. */
  #readAt: number | null = null;

  /** Something after `seq` did not come. Once may be a bad wire; at the same place again it is not. */
  missed(seq: number): Remedy {
    if (this.#gapAt === seq) return this.mismatch();
    this.#gapAt = seq;
    return "ask_again";
  }

  mismatch(): Remedy {
    return this.#readAt === null ? "read_anew" : "report";
  }

  readAnew(seq: number): void {
    this.#gapAt = null;
    this.#readAt = seq;
  }

  /** Right after it was read it cannot but be sound: that proves nothing. */
  sound(seq: number): void {
    if (this.#readAt !== null && seq > this.#readAt) this.#readAt = null;
  }

  forget(): void {
    this.#gapAt = null;
    this.#readAt = null;
  }
}
