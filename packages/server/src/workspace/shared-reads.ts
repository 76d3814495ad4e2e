/**
 * Shares reads of workspaces. Requests for the same thing join a read that has not begun yet, so
 * its answer is never older than the request. It begins when an equal read before it has ended: any
 * number of requests costs the memory of one. A read without a waiting request is cancelled.
 */

import { HostError } from "@holdfast/protocol";
import type { FairQueue } from "./fair-queue.ts";

interface ReadRequest {
  readonly tenant: string;
  /** Equal for requests that can share one read. */
  readonly what: string;
  /** Aborted when the request no longer waits. */
  readonly gone: AbortSignal;
}

interface Shared {
  waiting: number;
  readonly stop: AbortController;
  readonly answer: Promise<unknown>;
}

export class SharedReads {
  readonly #queue: FairQueue;
  /** Reads that have not begun yet. */
  readonly #open = new Map<string, Shared>();
  /** Reads that have begun; each resolves when it has ended. */
  readonly #begun = new Map<string, Promise<void>>();

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  async run<T>(request: ReadRequest, act: (gone: AbortSignal) => Promise<T>): Promise<T> {
    const { what, gone } = request;
    if (gone.aborted) throw unwanted();
    const shared = this.#open.get(what) ?? this.#ask(request, act);
    shared.waiting++;
    const leave = () => {
      shared.waiting--;
      if (shared.waiting > 0) return;
      this.#close(what, shared.stop);
      shared.stop.abort(unwanted());
    };
    gone.addEventListener("abort", leave, { once: true });
    try {
      return (await shared.answer) as T;
    } finally {
      gone.removeEventListener("abort", leave);
    }
  }

  #ask({ tenant, what }: ReadRequest, act: (gone: AbortSignal) => Promise<unknown>): Shared {
    const stop = new AbortController();
    const read = () =>
      this.#queue.run(tenant, stop.signal, () => {
        this.#close(what, stop);
        return this.#begin(what, act(stop.signal));
      });
    const answer = (this.#begun.get(what) ?? Promise.resolve()).then(read);
    const shared = { waiting: 0, stop, answer: answer.finally(() => this.#close(what, stop)) };
    this.#open.set(what, shared);
    return shared;
  }

  #begin(what: string, reading: Promise<unknown>): Promise<unknown> {
    const over = () => void this.#begun.delete(what);
    this.#begun.set(what, reading.then(over, over));
    return reading;
  }

  #close(what: string, stop: AbortController): void {
    if (this.#open.get(what)?.stop === stop) this.#open.delete(what);
  }
}

function unwanted(): HostError {
  return new HostError(
    "request_timeout",
    "The request was cancelled before it was answered. Try again.",
  );
}
