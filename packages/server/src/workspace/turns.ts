/**
 * So many at a time; the rest waits. The next turn is for the tenant that has the fewest, and among
 * those for whoever came first; a tenant with too many that wait is sent away.
 */

import { HostError } from "@holdfast/protocol";

interface Waiting {
  readonly tenant: string;
  begin(): void;
}

export class Turns {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waiting: Waiting[] = [];
  /** The tenants whose turn it is, one for each turn. */
  readonly #taken: string[] = [];

  /** `mostWaiting`: of one tenant. */
  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** Whoever is gone before their turn gives it up. */
  async take<T>(tenant: string, gone: AbortSignal, act: () => Promise<T>): Promise<T> {
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
      throw new HostError("rate_limited", "The host looks at too many workspaces. Ask again soon.");
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

  /** Handed on rather than given back: whoever comes now does not overtake. */
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
