/** Rate limits by name, as token buckets: a burst at once, then a number per second. */

import { HostError } from "@holdfast/protocol";
import type { Clock } from "../../base/clock.ts";

export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** More names than a busy host sees. Full buckets carry no information and are dropped first. */
const MAX_BUCKETS = 10_000;

export class Buckets {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  take(name: string): HostError | null {
    const bucket = this.#refilled(name);
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return null;
    }
    const retryAfter = Math.max(1, Math.ceil((1 - bucket.left) / this.#rate.perSecond));
    const seconds = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
    return new HostError("rate_limited", `Too many requests. Try again in ${seconds}.`, {
      retryAfter,
    });
  }

  #refilled(name: string): Bucket {
    const now = this.#clock.steady();
    const known = this.#buckets.get(name);
    if (known === undefined) {
      if (this.#buckets.size >= MAX_BUCKETS) this.#forget(now);
      const bucket = { left: this.#rate.burst, at: now };
      this.#buckets.set(name, bucket);
      return bucket;
    }
    known.left = this.#leftAt(known, now);
    known.at = now;
    return known;
  }

  #leftAt({ left, at }: Bucket, now: number): number {
    return Math.min(this.#rate.burst, left + ((now - at) / 1000) * this.#rate.perSecond);
  }

  #forget(now: number): void {
    for (const [name, bucket] of this.#buckets) {
      if (this.#leftAt(bucket, now) >= this.#rate.burst) this.#buckets.delete(name);
    }
    // All buckets are in use: the oldest is dropped, so that invented names cannot fill memory.
    const oldest = this.#buckets.keys().next().value;
    if (this.#buckets.size >= MAX_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
  }
}
