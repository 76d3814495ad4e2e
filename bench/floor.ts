/**
 * The floor: the least that anyone who promises durability has to do. One append file; lines are
 * gathered while a write is in flight, then one write and one fdatasync for all of them, and only
 * then their acknowledgements. No sessions, no checks, no index, nothing that could be asked later.
 */

import { closeSync, fdatasync, fstatSync, openSync, write } from "node:fs";

export class AppendFile {
  readonly #fd: number;
  #lines: string[] = [];
  #acks: (() => void)[] = [];
  #busy = false;
  #bytes = 0;

  constructor(path: string) {
    this.#fd = openSync(path, "ax");
  }

  append(line: string): Promise<void> {
    return new Promise((resolve) => {
      this.#lines.push(line);
      this.#acks.push(resolve);
      if (!this.#busy) {
        this.#busy = true;
        // Everything that is sent in this turn of the loop rides in one group.
        setImmediate(() => this.#commit());
      }
    });
  }

  /** Checks that the file holds exactly what was acknowledged. */
  close(): void {
    const { size } = fstatSync(this.#fd);
    closeSync(this.#fd);
    if (size !== this.#bytes) throw new Error(`floor: ${size} bytes on disk, not ${this.#bytes}`);
  }

  #commit(): void {
    const acks = this.#acks;
    const bytes = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#acks = [];
    this.#write(bytes, () => {
      fdatasync(this.#fd, (error) => {
        if (error) throw error;
        this.#bytes += bytes.length;
        for (const ack of acks) ack();
        // The acknowledged send again in microtasks, so the next group is complete after them.
        if (this.#busy) setImmediate(() => this.#next());
      });
    });
  }

  #next(): void {
    if (this.#lines.length > 0) this.#commit();
    else this.#busy = false;
  }

  #write(bytes: Buffer, done: () => void): void {
    write(this.#fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error) throw error;
      if (written < bytes.length) this.#write(bytes.subarray(written), done);
      else done();
    });
  }
}
