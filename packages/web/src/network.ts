/** The page's connection to the host, which the Break-it panel can cut. */

import type { Fetch, OpenSocket, WebSocketLike } from "@holdfast/client";
import { type EarlyPlace, earlyReply, takeEarly } from "./early.ts";

export class Network {
  #isCut = false;
  readonly #early = takeEarly(globalThis as EarlyPlace);
  readonly #sockets = new Set<WebSocketLike>();

  readonly fetch: Fetch = (url, init) =>
    this.#isCut
      ? Promise.reject(new TypeError("You cut the network in Break it."))
      : (this.#askedEarly(url, init) ?? fetch(url, init));

  readonly openSocket: OpenSocket = (url) => {
    if (this.#isCut) throw new TypeError("You cut the network in Break it.");
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
      // The event that a browser sends when the network is back.
      dispatchEvent(new Event("online"));
    }, ms);
  }

  #askedEarly(url: string, { method }: RequestInit): Promise<Response> | undefined {
    const path = url.slice(location.origin.length);
    return earlyReply(this.#early, { path, method, age: performance.now() });
  }
}
