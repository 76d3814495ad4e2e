import type { WebSocket } from "ws";

/** Handles messages in order; above `most` waiting ones the socket is paused. */
export function dealInOrder(
  socket: WebSocket,
  most: number,
  deal: (text: string) => Promise<void>,
): void {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  socket.on("message", (data) => {
    if (++waiting >= most) socket.pause();
    last = last
      .then(() => (socket.readyState === socket.OPEN ? deal(String(data)) : undefined))
      .then(() => {
        if (--waiting === 0 && socket.isPaused) socket.resume();
      });
  });
}
