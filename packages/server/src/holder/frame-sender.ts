/** Sends frames to one host: from memory while it keeps up, else from the spool. */

import type { Socket } from "node:net";
import type { FrameBatch } from "./spool/frame-batch.ts";
import type { Spool, SpoolPosition } from "./spool/spool.ts";
import { SpoolCursor } from "./spool/spool-cursor.ts";

/** Limit of bytes in memory for the socket: a few of an agent's largest bursts. */
const IN_FLIGHT = 1024 * 1024;

export class FrameSender {
  readonly #socket: Socket;
  readonly #spool: Spool;
  #sent: number;
  #behind: SpoolCursor | null = null;

  constructor(socket: Socket, spool: Spool, after: number) {
    this.#socket = socket;
    this.#spool = spool;
    this.#sent = after;
    socket.on("drain", () => this.#catchUp());
    socket.once("close", () => this.#behind?.close());
    const place = spool.placeAfter(after);
    if (place !== null) this.#fallBehind(place);
    this.#catchUp();
  }

  /** The last frame written to the socket; a host cannot have journalled a later one. */
  get sent(): number {
    return this.#sent;
  }

  /** Offers frames that were just spooled. Returns true when their bytes are no longer needed here. */
  offer(batch: FrameBatch, place: SpoolPosition): boolean {
    if (this.#behind !== null) return true;
    if (this.#isFull) {
      this.#fallBehind(place);
      return true;
    }
    this.#socket.write(batch.frames);
    this.#sent = batch.lastN;
    return this.#socket.writableLength === 0;
  }

  get #isFull(): boolean {
    return this.#socket.writableLength > IN_FLIGHT;
  }

  #fallBehind(place: SpoolPosition): void {
    this.#behind = new SpoolCursor(this.#spool, place, this.#sent);
  }

  #catchUp(): void {
    const cursor = this.#behind;
    if (cursor === null || !this.#socket.writable) return;
    while (!this.#isFull) {
      const frames = cursor.read();
      if (frames === null) {
        cursor.close();
        this.#behind = null;
        return;
      }
      this.#socket.cork();
      for (const lines of frames) this.#socket.write(lines);
      this.#socket.uncork();
      this.#sent = cursor.after;
    }
  }
}
