/** Controls whether the process obeys a cancel, a signal and the end of its stdin. */

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

  /** Passes the input through; while deaf it hides the end, so the connection stays open. */
  listenTo(input: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const never = new Promise<void>(() => {});
    return input.pipeThrough(
      new TransformStream({ flush: () => (this.#deaf ? never : undefined) }),
    );
  }
}
