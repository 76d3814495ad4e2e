/**
 * Detects a half-open socket. The kernel accepts data for a peer that has vanished, so only an
 * answer counts: the third ping after two unanswered ones closes the socket.
 */

import type { WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";
import { every } from "../every.ts";

const UNANSWERED = 2;

export class HalfOpenDetector {
  readonly stop: () => void;
  #unanswered = 0;

  constructor(socket: WebSocket, clock: Clock, ms: number) {
    socket.on("pong", () => this.heard());
    socket.on("message", () => this.heard());
    this.stop = every(clock, ms, () => {
      if (this.#unanswered >= UNANSWERED) return socket.terminate();
      this.#unanswered++;
      socket.ping();
    });
  }

  heard(): void {
    this.#unanswered = 0;
  }
}
