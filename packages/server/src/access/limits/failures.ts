/**
 * Counts wrong credentials per address, from requests, upgrades and first socket messages together.
 * Right credentials are never counted, so that guesses of others cannot lock their owner out.
 */

import { HostError } from "@holdfast/protocol";
import type { Clock } from "../../base/clock.ts";
import { Buckets, type Rate } from "./buckets.ts";

/** Generous, because a page that holds a revoked credential retries a few times. */
const FAILURES: Rate = { burst: 500, perSecond: 10 };

export class Failures {
  readonly #buckets: Buckets;

  constructor(clock: Clock, rate = FAILURES) {
    this.#buckets = new Buckets(rate, clock);
  }

  /** Counts one failure, and returns the error to answer with. */
  count(address: string): HostError {
    return this.#buckets.take(address) ?? noCredential();
  }
}

export function noCredential(): HostError {
  return new HostError(
    "unauthorized",
    "Send a valid credential as Authorization: Bearer. `npm start` prints a link that makes one.",
  );
}
