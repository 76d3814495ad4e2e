/** The page's connection to the host, which the Break-it panel can cut. */

import type { Fetch, OpenSocket, WebSocketLike } from "@holdfast/client";
import { type EarlyPlace, earlyReply, takeEarly } from "./early.ts";

let isCut = false;

/** True while the Break-it panel keeps this page from the host, which may be up. */
export const isPageCut = () => isCut;

export class Network {
  readonly #early = takeEarly(globalThis as EarlyPlace);
  readonly #sockets = new Set<WebSocketLike>();

  readonly fetch: Fetch = (url, init) =>
    isCut
      ? Promise.reject(new TypeError("You cut the network in Break it."))
      : (this.#askedEarly(url, init) ?? fetch(url, init));

  readonly openSocket: OpenSocket = (url) => {
    if (isCut) throw new TypeError("You cut the network in Break it.");
    const socket = new WebSocket(url);
    this.#sockets.add(socket);
    socket.addEventListener("close", () => this.#sockets.delete(socket));
    return socket;
  };

  cut(ms: number): void {
    isCut = true;
    // The events that a browser sends when the network is gone, and when it is back.
    dispatchEvent(new Event("offline"));
    for (const socket of this.#sockets) socket.close();
    setTimeout(() => {
      isCut = false;
      dispatchEvent(new Event("online"));
    }, ms);
  }

  #askedEarly(url: string, { method }: RequestInit): Promise<Response> | undefined {
    const path = url.slice(location.origin.length);
    return earlyReply(this.#early, { path, method, age: performance.now() });
  }
}
