/** Followers built on third-party clients; they record what they receive. */

import { EventSource } from "eventsource";
import { WebSocket } from "ws";
import type { World } from "./world.ts";

/** The host's last message to a connection before it closed it. */
export interface End {
  readonly reason: string;
  readonly seq: number;
}

export interface Follower {
  /** Seqs in the order of arrival. */
  readonly seqs: number[];
  readonly ends: End[];
  readonly connections: () => number;
  close(): void;
}

/** The npm package `eventsource`, unmodified: it reconnects by itself with `Last-Event-ID`. */
export function followBySse(world: World, session: string): Follower {
  const seqs: number[] = [];
  const ends: End[] = [];
  let opened = 0;
  const source = new EventSource(`${world.url}/api/sessions/${session}/stream`, {
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${world.token}` },
      }),
  });
  source.onopen = () => {
    opened++;
  };
  source.onmessage = ({ data, lastEventId }) => {
    const { seq } = JSON.parse(data as string) as { seq: number };
    if (String(seq) !== lastEventId) throw new Error(`id ${lastEventId} of event ${seq}`);
    seqs.push(seq);
  };
  source.addEventListener("end", ({ data }) => ends.push(JSON.parse(data as string) as End));
  return { seqs, ends, connections: () => opened, close: () => source.close() };
}

/** The npm package `ws`, unmodified: it subscribes again from its last seq. */
export function followBySocket(world: World, session: string): Follower {
  const seqs: number[] = [];
  const ends: End[] = [];
  let opened = 0;
  let closed = false;
  let socket: WebSocket;
  const connect = () => {
    socket = new WebSocket(`${world.url.replace("http", "ws")}/api/ws`);
    socket.on("open", () => {
      opened++;
      socket.send(JSON.stringify({ type: "auth", token: world.token }));
      socket.send(JSON.stringify({ type: "subscribe", session, after: seqs.at(-1) ?? 0 }));
    });
    socket.on("message", (data) => {
      const message = JSON.parse(String(data)) as {
        type: string;
        event?: { seq: number };
        events?: { seq: number }[];
      };
      if (message.type === "end") ends.push(message as unknown as End);
      for (const { seq } of message.events ?? (message.event ? [message.event] : []))
        seqs.push(seq);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (!closed) setTimeout(connect, 100);
    });
  };
  connect();
  return {
    seqs,
    ends,
    connections: () => opened,
    close() {
      closed = true;
      socket.terminate();
    },
  };
}
