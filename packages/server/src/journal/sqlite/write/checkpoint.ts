/** Decides when the write-ahead log is copied into the database, so that commits do not pay for it. */

import type { DatabaseSync } from "node:sqlite";
import { pragma } from "../file/database.ts";
import { isDiskFull } from "../file/sqlite-error.ts";

const passiveBytes = 16 * 1024 * 1024;

/** Readers can delay a passive checkpoint for long; above this size a checkpoint waits for them. */
const truncateBytes = 64 * 1024 * 1024;

/** A backup can hold the log for seconds: this keeps every commit from waiting for it in vain. */
const truncateEveryMs = 1000;

interface WalState {
  readonly log: number;
  readonly checkpointed: number;
}

export class Checkpoints {
  readonly #state;
  readonly #passive;
  readonly #truncate;
  readonly #pageSize: number;
  #truncatedAt = Number.NEGATIVE_INFINITY;

  constructor(database: DatabaseSync) {
    this.#state = database.prepare("pragma wal_checkpoint(noop)");
    this.#passive = database.prepare("pragma wal_checkpoint(passive)");
    this.#truncate = database.prepare("pragma wal_checkpoint(truncate)");
    this.#pageSize = pragma(database, "page_size");
  }

  afterCommit(): void {
    const { log, checkpointed } = this.#state.get() as unknown as WalState;
    if (log * this.#pageSize > truncateBytes && this.#mayTruncate()) this.truncate();
    else if ((log - checkpointed) * this.#pageSize > passiveBytes) this.#run(this.#passive);
  }

  whenIdle(): void {
    const { log, checkpointed } = this.#state.get() as unknown as WalState;
    if (log > checkpointed) this.#run(this.#passive);
  }

  truncate(): void {
    this.#truncatedAt = performance.now();
    this.#run(this.#truncate);
  }

  #mayTruncate(): boolean {
    return performance.now() - this.#truncatedAt >= truncateEveryMs;
  }

  /** A full disk leaves the log uncopied; its commits are durable there. */
  #run(statement: { get(): unknown }): void {
    try {
      statement.get();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }
}
