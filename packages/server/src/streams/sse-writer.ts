/**
 * Writes frames to a response no faster than its reader takes them. What is not written yet stays with
 * whoever writes, who therefore reads no further; the connection itself queues one piece at most.
 */

import type { ServerResponse } from "node:http";
import type { Clock } from "../clock.ts";

/** A slow reader shows that it lives each time it has taken one of these. */
const PIECE = 64 * 1024;

export interface SseWriterOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** A reader that took nothing for this long is gone. */
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
    // A reader that leaves in the middle of a write is no failure of ours.
    response.on("error", () => undefined);
  }

  /** Frames are under way: nothing else can be said before their end. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Resolves when the reader has taken nearly all of it, or is gone. */
  async write(frames: Uint8Array): Promise<void> {
    this.#isWriting = true;
    for (let at = 0; at < frames.length && this.#isOpen; at += PIECE) {
      const flows = this.#response.write(frames.subarray(at, at + PIECE));
      if (!flows) await this.#drained();
    }
    this.#isWriting = false;
    for (const frame of this.#aside.splice(0)) this.say(frame);
  }

  /** A small frame, at once or right behind those under way; false when it is too late for any. */
  say(frame: Uint8Array): boolean {
    if (!this.#isOpen) return false;
    if (this.#isWriting) this.#aside.push(frame);
    else this.#response.write(frame);
    return true;
  }

  /** The last frame; a reader who does not take it in time is cut off. */
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
