/**
 * Wrong credentials, counted for each address whichever way they come in: with a request, with an
 * upgrade, or in a socket's first message. Only wrong ones: a right one is never kept out by another's
 * guesses.
 */

import { HostError } from "@holdfast/protocol";
import type { Clock } from "../clock.ts";
import { Buckets, type Rate } from "./buckets.ts";

/** A page that kept a revoked one tries a few times. */
const FAILURES: Rate = { burst: 500, perSecond: 10 };

export class Failures {
  readonly #buckets: Buckets;

  constructor(clock: Clock, rate = FAILURES) {
    this.#buckets = new Buckets(rate, clock);
  }

  /** Counts one, and returns what to answer it with. */
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
