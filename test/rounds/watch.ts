/** A follower of a session that remembers its events and their times. */

import type { Event } from "@holdfast/protocol";
import type { World } from "../story/world.ts";

export class Watch {
  readonly seen: Event[] = [];
  readonly #leave = new AbortController();
  readonly #heard = new Set<() => void>();
  readonly #over: Promise<void>;

  constructor(world: World, session: string) {
    this.#over = this.#follow(world, session);
    this.#over.catch(() => undefined);
  }

  /** Time (by `performance.now`) at which the first matching event was seen; null after `limit`. */
  until(fits: (event: Event) => boolean, limit: number): Promise<number | null> {
    if (this.seen.some(fits)) return Promise.resolve(performance.now());
    const { promise, resolve } = Promise.withResolvers<number | null>();
    const look = () => {
      const last = this.seen.at(-1);
      if (last !== undefined && fits(last)) resolve(performance.now());
    };
    this.#heard.add(look);
    const timer = setTimeout(() => resolve(null), limit);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#heard.delete(look);
    });
  }

  async close(): Promise<void> {
    this.#leave.abort();
    await this.#over;
  }

  async #follow(world: World, session: string): Promise<void> {
    const { signal } = this.#leave;
    for await (const step of world.client.follow({ session, after: 0, signal })) {
      if (step.type !== "event") continue;
      this.seen.push(step.event);
      for (const look of this.#heard) look();
    }
  }
}
