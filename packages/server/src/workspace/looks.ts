/**
 * Looks at workspaces, for those who wait for them. Whoever asks the same before the look has begun
 * shares its answer, which is so never older than the question; a look that nobody waits for any more
 * is given up.
 */

import { HostError } from "@holdfast/protocol";
import type { Turns } from "./turns.ts";

export interface Asker {
  readonly tenant: string;
  /** The same for those who want the same. */
  readonly what: string;
  /** They do not wait any more. */
  readonly gone: AbortSignal;
}

interface Shared {
  waiting: number;
  readonly stop: AbortController;
  readonly answer: Promise<unknown>;
}

export class Looks {
  readonly #turns: Turns;
  /** Those that have not begun yet. */
  readonly #open = new Map<string, Shared>();

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  async take<T>(asker: Asker, act: (gone: AbortSignal) => Promise<T>): Promise<T> {
    const { what, gone } = asker;
    if (gone.aborted) throw unwanted();
    const shared = this.#open.get(what) ?? this.#ask(asker, act);
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

  #ask({ tenant, what }: Asker, act: (gone: AbortSignal) => Promise<unknown>): Shared {
    const stop = new AbortController();
    const answer = this.#turns.take(tenant, stop.signal, () => {
      this.#close(what, stop);
      return act(stop.signal);
    });
    const shared = { waiting: 0, stop, answer: answer.finally(() => this.#close(what, stop)) };
    this.#open.set(what, shared);
    return shared;
  }

  #close(what: string, stop: AbortController): void {
    if (this.#open.get(what)?.stop === stop) this.#open.delete(what);
  }
}

function unwanted(): HostError {
  return new HostError("request_timeout", "The request was given up before its answer. Ask again.");
}
