/** Writes frames as fast as the reader reads: `write` waits, and one piece at most is queued. */

import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";

/** Piece size: each written piece shows that a slow reader is alive. */
const PIECE = 64 * 1024;

interface SseWriterOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly stall: number;
}

export class SseWriter {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #stall: number;
  #isWriting = false;
  #isEnded = false;
  #aside: Uint8Array[] = [];

  constructor({ response, clock, stall }: SseWriterOptions) {
    this.#response = response;
    this.#clock = clock;
    this.#stall = stall;
    // A reader may disconnect in the middle of a write.
    response.on("error", () => undefined);
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Resolves when the reader has read nearly all of it, or has disconnected. */
  async write(frames: Uint8Array): Promise<void> {
    this.#isWriting = true;
    for (let at = 0; at < frames.length && this.#isOpen; at += PIECE) {
      const flows = this.#response.write(frames.subarray(at, at + PIECE));
      if (!flows) await this.#drained();
    }
    this.#isWriting = false;
    for (const frame of this.#aside.splice(0)) this.say(frame);
  }

  /** Writes a small frame now, or right after the frames under way; false when the stream has ended. */
  say(frame: Uint8Array): boolean {
    if (!this.#isOpen) return false;
    if (this.#isWriting) this.#aside.push(frame);
    else this.#response.write(frame);
    return true;
  }

  /** Writes the last frame; a reader that does not read it in time is cut off. */
  end(frame: Uint8Array, time = this.#stall): void {
    if (!this.#isOpen) return;
    this.#isEnded = true;
    const cancel = this.#clock.after(time, () => this.cut());
    this.#response.on("close", cancel).end(frame);
  }

  cut(): void {
    this.#isEnded = true;
    this.#response.destroy();
  }

  get #isOpen(): boolean {
    return !this.#isEnded && !this.#response.destroyed;
  }

  #drained(): Promise<void> {
    const response = this.#response;
    if (response.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(this.#stall, () => this.cut());
      const go = () => {
        cancel();
        response.off("drain", go).off("close", go);
        resolve();
      };
      response.on("drain", go).on("close", go);
    });
  }
}
