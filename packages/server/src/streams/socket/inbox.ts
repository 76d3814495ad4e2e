import type { WebSocket } from "ws";

/**
 * Handles a socket's messages one after the other. Above `most` waiting messages the socket is
 * paused, so that the queue stays bounded.
 */
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
