/** This page's way to the host, which the Break-it panel can cut to show that nothing is lost by it. */

import type { Fetch, OpenSocket, WebSocketLike } from "@holdfast/client";

/** An answer from before there was a page tells nothing new after this. */
const EARLY_MS = 10_000;

/** What `early.js` asked for; each answer is used once. */
function takeEarly(url: string, { method }: RequestInit): Promise<Response> | undefined {
  const { holdfastEarly: early } = globalThis as { holdfastEarly?: Map<string, Promise<Response>> };
  const path = url.slice(location.origin.length);
  const reply = method === "GET" && performance.now() < EARLY_MS ? early?.get(path) : undefined;
  early?.delete(path);
  return reply;
}

export class Network {
  #isCut = false;
  readonly #sockets = new Set<WebSocketLike>();

  readonly fetch: Fetch = (url, init) =>
    this.#isCut
      ? Promise.reject(new TypeError("The network is cut on purpose."))
      : (takeEarly(url, init) ?? fetch(url, init));

  readonly openSocket: OpenSocket = (url) => {
    if (this.#isCut) throw new TypeError("The network is cut on purpose.");
    const socket = new WebSocket(url);
    this.#sockets.add(socket);
    socket.addEventListener("close", () => this.#sockets.delete(socket));
    return socket;
  };

  cut(ms: number): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.close();
    setTimeout(() => {
      this.#isCut = false;
      // As a device says it that is back in a network.
      dispatchEvent(new Event("online"));
    }, ms);
  }
}
