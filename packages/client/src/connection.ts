/** One connection to a stream: from its request to its last frame, or to a timeout. */

import { createParser, type EventSourceMessage } from "eventsource-parser";
import { ApiError, apiError, TransportError, transportError } from "./errors.ts";
import { type Access, send } from "./request.ts";
import type { Timers } from "./timers.ts";

/** The host sends something every 15 s, and a half-open connection reports no error. */
const LONGEST_SILENCE = 40_000;

export interface ConnectionOptions extends Access {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
}

/** Returns false when the stream has ended for good (204), true when it was cut. */
export async function* framesOf(
  url: string,
  options: ConnectionOptions,
): AsyncGenerator<EventSourceMessage, boolean, void> {
  const silence = new Silence(options.timers);
  // Ends the connection when the consumer stops iterating.
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal, left.signal]);
  try {
    const headers = { accept: "text/event-stream" };
    const response = await silence.limit(send(options, url, { headers, signal }));
    if (response.status === 204) return false;
    if (!response.ok) throw await silence.limit(apiError(response));
    if (response.body === null) return true;
    options.onOpen();
    const frames: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (frame) => frames.push(frame) });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    while (true) {
      const { done, value } = await silence.limit(reader.read());
      if (done) return true;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* frames.splice(0);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw transportError(error, url);
  } finally {
    left.abort();
  }
}

/** A timeout that runs only while the client waits: a slow consumer does not trigger it. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async limit<T>(work: Promise<T>): Promise<T> {
    const error = new TransportError(`The host was silent for ${LONGEST_SILENCE / 1000} s.`);
    const cancel = this.#timers.after(LONGEST_SILENCE, () => this.#controller.abort(error));
    try {
      return await work;
    } finally {
      cancel();
    }
  }
}
