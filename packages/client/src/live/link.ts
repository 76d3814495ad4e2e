/**
 * One WebSocket from its first byte to its loss. It says who it is, and it asks when nothing was heard
 * for a while: a socket that is half open never says so itself, and a browser goes on calling it open.
 */

import type { Timers } from "../timers.ts";
import { type Frame, readSocketFrame } from "./socket-frames.ts";

/** As much of a browser's WebSocket as is used. */
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
  /** Called once, and never while the link is being made. */
  readonly onLost: (loss: Loss) => void;
}

export interface Loss {
  /** False when it never came up: then it may be that nobody lets a WebSocket through. */
  readonly wasOpen: boolean;
  readonly code: number;
  readonly reason: string;
}

/** A host on the other side of the world answers sooner. */
const CONNECTING = 10_000;
/** A host says something every 15 s to whoever follows. */
const QUIET = 20_000;
/** How long it has to answer when it is asked. */
const ANSWER = 4_000;
/** What a browser says of a socket that ended without a word. */
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
      this.#lose(code ?? NO_WORD, reason || "The connection was cut."),
    );
    // Whatever it is, the socket closes after it.
    this.#socket.addEventListener("error", () => undefined);
  }

  get isOpen(): boolean {
    return this.#wasOpen && !this.#isOver;
  }

  say(message: object): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message));
  }

  /** Asks whether the host is there; if it does not answer, the link is lost. */
  probe(): void {
    if (!this.isOpen || this.#isProbing) return;
    this.#isProbing = true;
    this.say({ type: "ping" });
    this.#limit(ANSWER, () => this.#lose(NO_WORD, "The host fell silent."));
  }

  /** Ends it without a word to whoever made it. */
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
    if (frame === null) this.#lose(NO_WORD, "What came was not a message of a host.");
    else this.#options.onFrame(frame);
  }

  /** At once, and not when the socket notices: closing a half-open one takes minutes. */
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
