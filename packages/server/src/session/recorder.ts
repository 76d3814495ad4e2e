/**
 * Writes one turn's output into the journal, in order. Text is grouped for at most `deltaGroup`;
 * other output is written at once, or with the next commit if one is in flight.
 */

import type { Output, SessionId } from "@holdfast/protocol";
import type { Blobs } from "../journal/blobs.ts";
import { fitting } from "./fitting.ts";
import { OutputGroup } from "./output-group.ts";
import { isLate, patiently } from "./refusals.ts";
import type { Sessions } from "./sessions.ts";

export interface Recording {
  readonly session: SessionId;
  readonly runId: string;
  readonly attempt: number;
}

export class Recorder {
  /** Count of dropped outputs of a launch that was replaced. */
  dropped = 0;
  readonly #who: Recording;
  readonly #sessions: Sessions;
  readonly #blobs: Blobs;
  readonly #stopped: AbortSignal;
  readonly #group: OutputGroup;
  /** True when the group must go with the next commit without waiting for more. */
  #urgent = false;
  #cancelTimer: (() => void) | null = null;
  #writing: Promise<void> | null = null;
  #failed: { readonly error: unknown } | null = null;

  constructor(who: Recording, sessions: Sessions, blobs: Blobs, stopped: AbortSignal) {
    this.#who = who;
    this.#sessions = sessions;
    this.#blobs = blobs;
    this.#stopped = stopped;
    this.#group = new OutputGroup(sessions.policy.deltaBytes);
  }

  /**
   * Adds output. True when the agent must wait for `room`, because the journal is slower than it.
   */
  add(item: Output): boolean {
    this.#group.add(item);
    if ((item.type !== "text" && item.type !== "thinking") || this.#group.hasPage) {
      this.#urgent = true;
      this.#write();
    } else if (!this.#group.isEmpty) {
      const { clock, policy } = this.#sessions;
      this.#cancelTimer ??= clock.after(policy.deltaGroup, () => {
        this.#cancelTimer = null;
        this.#urgent = true;
        this.#write();
      });
    }
    return this.#group.isFull || this.#failed !== null;
  }

  /** Resolves when more may be added; throws after a failed write. */
  async room(): Promise<void> {
    while (this.#writing !== null && this.#group.isFull) await this.#writing;
    if (this.#failed !== null) throw this.#failed.error;
  }

  /** Resolves when everything added so far is durable, or was found to be late. */
  async flush(): Promise<void> {
    for (this.#write(); this.#writing !== null; this.#write()) await this.#writing;
    if (this.#failed !== null) throw this.#failed.error;
  }

  /**
   * Starts a commit unless one is in flight; output that arrives meanwhile goes into the next
   * commit.
   */
  #write(): void {
    if (this.#writing !== null || this.#failed !== null || this.#group.isEmpty) return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#urgent = false;
    this.#writing = this.#persist(this.#group.take())
      .catch((error: unknown) => {
        this.#failed = { error };
      })
      .then(() => {
        this.#writing = null;
        if (this.#urgent) this.#write();
      });
  }

  async #persist(items: readonly Output[]): Promise<void> {
    const { session, runId, attempt } = this.#who;
    await patiently(this.#sessions, this.#stopped, async () => {
      const output = await Promise.all(items.map((item) => fitting(this.#blobs, session, item)));
      await this.#sessions.execute(session, "record", { runId, attempt, output });
    }).catch((error: unknown) => {
      if (!isLate(error)) throw error;
      this.dropped += items.length;
    });
  }
}
