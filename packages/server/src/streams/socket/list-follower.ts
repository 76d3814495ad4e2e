/** Sends list changes as the socket has room; a session's newer change replaces the waiting one. */

import type { SessionId } from "@holdfast/protocol";
import type { Outbox } from "./outbox.ts";
import type { SessionList } from "./session-list.ts";

/** Rows per turn, so that a list with many changes delays no session. */
const STEP = 100;

export class ListFollower {
  readonly stop: () => void;
  readonly #outbox: Outbox;
  readonly #changes = new Map<SessionId | "needs", string>();
  #isSending = false;

  constructor(list: SessionList, tenant: string, outbox: Outbox) {
    this.#outbox = outbox;
    const unwatch = list.watch(tenant, (of, message) => {
      this.#changes.set(of, message);
      if (!this.#isSending) void this.#send();
    });
    this.stop = () => {
      unwatch();
      this.#changes.clear();
    };
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#changes.size > 0) {
      const done = await this.#outbox.turn();
      for (const [of, message] of [...this.#changes].slice(0, STEP)) {
        this.#changes.delete(of);
        this.#outbox.send(message);
      }
      done();
    }
    this.#isSending = false;
  }
}
