/** Whether the process still obeys a cancel, a signal and the end of its stdin. */

/** Nothing lives for ever, not even on purpose. */
const DEAF_FOR_MS = 120_000;

export class Hearing {
  #deaf = false;

  get deaf(): boolean {
    return this.#deaf;
  }

  goDeaf(): void {
    if (this.#deaf) return;
    this.#deaf = true;
    setTimeout(() => process.exit(0), DEAF_FOR_MS);
  }

  /** The same bytes, whose end is not heard while deaf: the connection then stays open. */
  listenTo(input: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const never = new Promise<void>(() => {});
    return input.pipeThrough(
      new TransformStream({ flush: () => (this.#deaf ? never : undefined) }),
    );
  }
}
