/**
 * A proxy between a page and its host that can cut, go silent, refuse, or change messages. A
 * browser's own "offline" leaves open connections alone, so the fault is made on the network.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type Change, FrameChanger } from "./frames.ts";

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
}

/** A request that passed the wire. */
export interface Passed {
  readonly method: string;
  readonly path: string;
}

const REQUEST = /^(GET|POST|PUT|PATCH|DELETE) (\S+) HTTP\/1\.1\r?$/gm;

export class Wire {
  /** All requests that passed the wire. */
  readonly passed: Passed[] = [];
  /** Replaces or drops (null) each WebSocket message to the page. */
  change: Change | null = null;
  target = 0;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #isRefusing = false;
  #held: { readonly request: RegExp; readonly later: (() => void)[] } | null = null;
  #heldReply: { readonly request: RegExp; readonly later: (() => void)[] } | null = null;
  #lost: { readonly request: RegExp; count: number } | null = null;

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (near) => this.#carry(near));
  }

  static async open(): Promise<Wire> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Wire(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes every connection on both sides. */
  cut(): void {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far.destroy();
    }
  }

  /** Silently stops all traffic on the open connections. New ones work. */
  silence(): void {
    for (const pair of this.#pairs) pair.isSilent = true;
  }

  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
    if (isRefusing) this.cut();
  }

  /** Lets the next matching request arrive and be executed, and drops its answer. */
  loseReplyTo(request: RegExp, count = 1): void {
    this.#lost = { request, count };
  }

  /** Holds and counts matching requests until the returned function is called. */
  hold(request: RegExp): () => void {
    const held = { request, later: [] as (() => void)[] };
    this.#held = held;
    return () => {
      this.#held = null;
      for (const send of held.later) send();
    };
  }

  /** Holds the replies to matching requests until the returned function is called. */
  holdReplyTo(request: RegExp): () => void {
    const held = { request, later: [] as (() => void)[] };
    this.#heldReply = held;
    return () => {
      this.#heldReply = null;
      for (const send of held.later.splice(0)) send();
    };
  }

  /** Number of replies still held. */
  get toRelease(): number {
    return this.#heldReply?.later.length ?? 0;
  }

  /** Number of replies still to be dropped. */
  get toLose(): number {
    return this.#lost?.count ?? 0;
  }

  count(method: string, path: RegExp): number {
    return this.passed.filter((one) => one.method === method && path.test(one.path)).length;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #carry(near: Socket): void {
    if (this.#isRefusing) {
      near.destroy();
      return;
    }
    const far = connect({ port: this.target, host: "127.0.0.1", allowHalfOpen: true });
    const pair: Pair = { near, far, isSilent: false };
    const changer = new FrameChanger((text) => (this.change === null ? text : this.change(text)));
    let isLost = false;
    let held: (() => void)[] | null = null;
    this.#pairs.add(pair);
    const over = () => {
      this.#pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on("error", over);
      socket.on("close", () => pair.isSilent || over());
    }
    near.on("data", (bytes) => {
      if (pair.isSilent) return;
      const text = bytes.toString("latin1");
      if (this.#hear(text)) isLost = true;
      if (this.#heldReply?.request.test(text)) held = this.#heldReply.later;
      if (this.#held?.request.test(text)) this.#held.later.push(() => far.write(bytes));
      else far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (pair.isSilent) return;
      if (isLost) over();
      else if (held !== null && this.#heldReply?.later === held) held.push(() => near.write(bytes));
      else near.write(changer.take(bytes));
    });
    near.on("end", () => pair.isSilent || far.end());
    far.on("end", () => pair.isSilent || near.end());
  }

  /** Records the requests in a text; true when the answer must be dropped. */
  #hear(text: string): boolean {
    let isLost = false;
    for (const [line, method = "", path = ""] of text.matchAll(REQUEST)) {
      this.passed.push({ method, path });
      if (this.#lost === null || this.#lost.count === 0 || !this.#lost.request.test(line)) continue;
      this.#lost.count -= 1;
      isLost = true;
    }
    return isLost;
  }
}
