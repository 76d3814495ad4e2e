/**
 * Sends messages on one socket. Its followers take turns in the order of their requests, one slice
 * each, and only while there is room. So a flood in one session delays no other, and events that a
 * slow reader has not read stay in the journal.
 */

import { WebSocket } from "ws";

export interface OutboxOptions {
  readonly socket: WebSocket;
  readonly queueBytes: number;
  /** Called when a full socket sent something: its reader is slow, but alive. */
  readonly onProgress: () => void;
}

export class Outbox {
  readonly #socket: WebSocket;
  readonly #queueBytes: number;
  readonly #onProgress: () => void;
  #lastTurn: Promise<void> = Promise.resolve();
  #waiting: (() => void)[] = [];

  constructor({ socket, queueBytes, onProgress }: OutboxOptions) {
    this.#socket = socket;
    this.#queueBytes = queueBytes;
    this.#onProgress = onProgress;
    socket.on("close", () => this.#goOn());
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > this.#queueBytes;
  }

  say(message: object): void {
    this.send(JSON.stringify(message));
  }

  send(message: string | Uint8Array): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(message, { binary: false }, () => this.#flushed());
  }

  room(): Promise<void> {
    if (!this.isFull || this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Waits for the caller's turn and for room; resolves to a function that passes the turn on. */
  async turn(): Promise<() => void> {
    const before = this.#lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    await before;
    await this.room();
    return resolve;
  }

  #flushed(): void {
    if (this.#waiting.length === 0) return;
    this.#onProgress();
    if (!this.isFull) this.#goOn();
  }

  #goOn(): void {
    for (const call of this.#waiting.splice(0)) call();
  }
}
