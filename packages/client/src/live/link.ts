/**
 * One WebSocket from its opening to its loss. It authenticates, and it pings the host after a
 * silence: a half-open socket reports no error, and a browser still calls it open.
 */

import type { Timers } from "../timers.ts";
import { type Frame, readSocketFrame } from "./socket-frames.ts";

/** The used part of a browser's WebSocket. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: every platform has event classes of its own.
  addEventListener(type: string, listener: (event: any) => void): void;
}

export type OpenSocket = (url: string) => WebSocketLike;

export interface LinkOptions {
  readonly url: string;
  readonly token: string;
  readonly open: OpenSocket;
  readonly timers: Timers;
  readonly onOpen: () => void;
  readonly onFrame: (frame: Frame) => void;
  /** Called once, and never during construction. */
  readonly onLost: (loss: Loss) => void;
}

export interface Loss {
  /** False when it never opened: then a proxy may be blocking WebSockets. */
  readonly wasOpen: boolean;
  readonly code: number;
  readonly reason: string;
}

/** Longer than any host needs to accept a connection. */
const CONNECTING = 10_000;
/** Silence before a ping; a host sends something every 15 s to its followers. */
const QUIET = 20_000;
const ANSWER = 4_000;
/** The code that a browser reports for a socket that ended without a close frame. */
const NO_WORD = 1006;

export class Link {
  readonly #options: LinkOptions;
  #socket: WebSocketLike | null = null;
  #wasOpen = false;
  #isOver = false;
  #isProbing = false;
  #cancel = () => {};

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#limit(CONNECTING, () => this.#lose(NO_WORD, "The host did not answer."));
    try {
      this.#socket = options.open(options.url);
    } catch (error) {
      // A page under https may not open ws: at all.
      this.#limit(0, () => this.#lose(NO_WORD, String(error)));
      return;
    }
    this.#socket.addEventListener("open", () => this.#opened());
    this.#socket.addEventListener("message", ({ data }) => this.#heard(String(data)));
    this.#socket.addEventListener("close", ({ code, reason }) =>
      this.#lose(code ?? NO_WORD, reason || "The connection was lost."),
    );
    // The socket closes after every error, and the close event handles it.
    this.#socket.addEventListener("error", () => undefined);
  }

  get isOpen(): boolean {
    return this.#wasOpen && !this.#isOver;
  }

  say(message: object): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message));
  }

  /** Pings the host; without an answer the link is lost. */
  probe(): void {
    if (!this.isOpen || this.#isProbing) return;
    this.#isProbing = true;
    this.say({ type: "ping" });
    this.#limit(ANSWER, () => this.#lose(NO_WORD, "The host stopped answering."));
  }

  /** Ends the link without calling `onLost`. */
  close(): void {
    this.#isOver = true;
    this.#cancel();
    this.#socket?.close(1000);
  }

  cut(reason: string): void {
    this.#lose(NO_WORD, reason);
  }

  #opened(): void {
    if (this.#isOver) return;
    this.#wasOpen = true;
    const { token, onOpen } = this.#options;
    if (token !== "") this.say({ type: "auth", token });
    this.probe();
    onOpen();
  }

  #heard(text: string): void {
    if (this.#isOver) return;
    this.#isProbing = false;
    this.#limit(QUIET, () => this.probe());
    const frame = readSocketFrame(text);
    if (frame === null) this.#lose(NO_WORD, "The host sent an invalid message.");
    else this.#options.onFrame(frame);
  }

  /** Reports the loss at once, because closing a half-open socket takes minutes. */
  #lose(code: number, reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onLost({ wasOpen: this.#wasOpen, code, reason });
  }

  #limit(ms: number, call: () => void): void {
    this.#cancel();
    this.#cancel = this.#options.timers.after(ms, call);
  }
}
