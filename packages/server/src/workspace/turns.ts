/** So many at a time, in the order they came; the rest waits, and too many are sent away. */

import { HostError } from "@holdfast/protocol";

export class Turns {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  async take<T>(act: () => Promise<T>): Promise<T> {
    await this.#turn();
    try {
      return await act();
    } finally {
      // Handed on rather than given back: whoever comes now does not overtake.
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken--;
      else next();
    }
  }

  async #turn(): Promise<void> {
    if (this.#taken < this.#most) {
      this.#taken++;
      return;
    }
    if (this.#waiting.length >= this.#mostWaiting) {
      throw new HostError("rate_limited", "The host looks at too many workspaces. Ask again soon.");
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
