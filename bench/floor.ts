/**
 * The floor: the least work that durability needs. One append-only file; lines are collected while
 * a write is in flight, then one write and one fdatasync cover them all, then they are
 * acknowledged. It has no sessions, checks, index or reads.
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
        // All lines sent in this turn of the event loop go into one group.
        setImmediate(() => this.#commit());
      }
    });
  }

  /** Closes, and checks that the file holds exactly the acknowledged bytes. */
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
        // Acknowledged senders send again in microtasks, so the next group is complete after them.
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
