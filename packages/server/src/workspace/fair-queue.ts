/**
 * Limits concurrent tasks; further ones wait in a queue. The next turn goes to the tenant with the
 * fewest running tasks, and among equals to the first that came. A tenant with too many waiting
 * tasks is refused.
 */

import { HostError } from "@holdfast/protocol";

interface Waiting {
  readonly tenant: string;
  begin(): void;
}

export class FairQueue {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waiting: Waiting[] = [];
  /** The tenants of the running tasks, one entry per task. */
  readonly #taken: string[] = [];

  /** `mostWaiting` applies per tenant. */
  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** A caller that is gone before its turn leaves the queue. */
  async run<T>(tenant: string, gone: AbortSignal, act: () => Promise<T>): Promise<T> {
    gone.throwIfAborted();
    await this.#turn(tenant, gone);
    try {
      return await act();
    } finally {
      this.#handOn(tenant);
    }
  }

  async #turn(tenant: string, gone: AbortSignal): Promise<void> {
    if (this.#taken.length < this.#most) {
      this.#taken.push(tenant);
      return;
    }
    if (this.#waiting.filter((one) => one.tenant === tenant).length >= this.#mostWaiting) {
      throw new HostError(
        "rate_limited",
        "The host is busy reading other workspaces. Try again in a moment.",
      );
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        removeFrom(this.#waiting, waiting);
        reject(gone.reason);
      };
      const begin = () => {
        gone.removeEventListener("abort", leave);
        resolve();
      };
      const waiting = { tenant, begin };
      this.#waiting.push(waiting);
      gone.addEventListener("abort", leave, { once: true });
    });
  }

  /** Passes the turn directly to a waiting task, so that a new one cannot overtake it. */
  #handOn(tenant: string): void {
    removeFrom(this.#taken, tenant);
    const [first, ...others] = this.#waiting;
    if (first === undefined) return;
    const next = others.reduce(
      (best, one) => (this.#has(one) < this.#has(best) ? one : best),
      first,
    );
    removeFrom(this.#waiting, next);
    this.#taken.push(next.tenant);
    next.begin();
  }

  #has({ tenant }: Waiting): number {
    return this.#taken.filter((one) => one === tenant).length;
  }
}

function removeFrom<T>(list: T[], one: T): void {
  list.splice(list.indexOf(one), 1);
}
