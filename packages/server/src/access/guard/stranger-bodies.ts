/**
 * Reads the bodies of callers without a credential within one shared memory budget. When it is used
 * up, the body that has been arriving longest is refused: an honest one arrives at once.
 */

import { HostError } from "@holdfast/protocol";
import type { HonoRequest } from "hono";
import { cutOff, keepText, tooLarge } from "./body.ts";
import { hasBody } from "./guard.ts";

/** About thirty resume tokens with the largest results at the same moment. */
const BUDGET = 2 * 1024 * 1024;

interface Arrival {
  bytes: number;
  isRefused: boolean;
  readonly refuse: () => void;
}

/** The body as it arrives: from Node's message, or from the request when there is no message. */
export type Source = AsyncIterable<Uint8Array>;

export class StrangerBodies {
  readonly #budget: number;
  /** Bodies still being read, the oldest first. */
  readonly #arriving = new Set<Arrival>();
  /** Bytes of complete bodies whose requests are not answered yet. */
  readonly #arrived = new Map<HonoRequest, number>();
  #held = 0;

  constructor(budget = BUDGET) {
    this.#budget = budget;
  }

  /** Caches the body, so that handlers can call `c.req.json()` or `text()` afterwards. */
  async read(request: HonoRequest, limit: number, source: Source): Promise<HostError | null> {
    const { headers } = request.raw;
    if (!hasBody(headers) || request.bodyCache.text !== undefined) return null;
    if (Number(headers.get("content-length") ?? 0) > limit) return tooLarge(limit);
    const refused = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const refuse = () => refused.resolve({ done: true, value: undefined });
    const arrival: Arrival = { bytes: 0, isRefused: false, refuse };
    this.#arriving.add(arrival);
    try {
      const chunks: Uint8Array[] = [];
      const next = source[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await Promise.race([next.next(), refused.promise]);
        if (!done && arrival.bytes + value.length > limit) return tooLarge(limit);
        if (!done) this.#count(arrival, value.length);
        if (arrival.isRefused) return tooMany();
        if (done) break;
        chunks.push(value);
      }
      keepText(request, Buffer.concat(chunks).toString("utf8"));
      this.#arrived.set(request, arrival.bytes);
      arrival.bytes = 0;
      return null;
    } catch {
      return cutOff();
    } finally {
      this.#arriving.delete(arrival);
      this.#held -= arrival.bytes;
    }
  }

  release(request: HonoRequest): void {
    this.#held -= this.#arrived.get(request) ?? 0;
    this.#arrived.delete(request);
  }

  #count(arrival: Arrival, bytes: number): void {
    arrival.bytes += bytes;
    this.#held += bytes;
    for (const oldest of this.#arriving) {
      if (this.#held <= this.#budget) return;
      this.#refuse(oldest);
    }
  }

  #refuse(arrival: Arrival): void {
    arrival.isRefused = true;
    this.#arriving.delete(arrival);
    this.#held -= arrival.bytes;
    arrival.bytes = 0;
    arrival.refuse();
  }
}

function tooMany(): HostError {
  return new HostError(
    "rate_limited",
    "Too many requests without a credential. Try again in a second.",
    { retryAfter: 1, close: true },
  );
}
