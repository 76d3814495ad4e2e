/** Remedies for a replica that differs from its host: ask again, read again once, report. */

export type Remedy = "ask_again" | "read_anew" | "report";

export class DriftRemedies {
  #gapAt: number | null = null;
  /** The seq of the last read, until a later one proved sound. */
  #readAt: number | null = null;

  /** Events after `seq` are missing; a second time at the same seq is no transmission error. */
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

  /** Right after a read the replica is always sound, so only a later seq counts. */
  sound(seq: number): void {
    if (this.#readAt !== null && seq > this.#readAt) this.#readAt = null;
  }

  forget(): void {
    this.#gapAt = null;
    this.#readAt = null;
  }
}
