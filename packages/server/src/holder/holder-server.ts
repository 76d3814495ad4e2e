/** Admits one host at a time: the latest with a valid hello; an older epoch is refused. */

import type { Socket } from "node:net";
import { FrameSender } from "./frame-sender.ts";
import { keyIn, parseHostSays } from "./host-says.ts";
import {
  type HolderHello,
  type HolderSays,
  type HostSays,
  maxLineBytes,
  type Refused,
  spokenProtocols,
} from "./spool/frames.ts";
import { Lines } from "./spool/lines.ts";
import type { Spool } from "./spool/spool.ts";

type Hello = Extract<HostSays, { t: "hello" }>;
export type Order = Exclude<HostSays, Hello | { t: "ack" }>;

/** Time limit for the hello; a connection without one is closed. */
const HELLO_LIMIT = 5_000;
const HANG_UP_LIMIT = 1_000;

interface HolderServerOptions {
  readonly nonce: string;
  readonly spool: Spool;
  readonly hello: () => HolderHello;
  readonly onOrder: (order: Order, host: HostConnection) => void;
  readonly onAck: () => void;
  readonly onChange: () => void;
}

export class HostConnection {
  readonly #socket: Socket;
  readonly sender: FrameSender;

  constructor(socket: Socket, spool: Spool, hello: HolderHello, acked: number) {
    this.#socket = socket;
    this.say(hello);
    this.sender = new FrameSender(socket, spool, acked);
  }

  say(said: Exclude<HolderSays, { n: number }>): void {
    say(this.#socket, said);
  }

  /** Sends the agent's own bytes as the answer; null when the answer is lost. */
  reply(key: string, line: Buffer | null): void {
    this.#socket.cork();
    this.#socket.write(`{"t":"reply","key":${JSON.stringify(key)},"line":`);
    this.#socket.write(line ?? "null");
    this.#socket.write("}\n");
    this.#socket.uncork();
  }

  refuse(key: string | null, code: Refused["code"], message: string): void {
    this.say({ t: "refused", key, code, message });
  }

  isOn(socket: Socket): boolean {
    return this.#socket === socket;
  }

  close(): void {
    hangUp(this.#socket);
  }
}

export class HolderServer {
  readonly #options: HolderServerOptions;
  #host: HostConnection | null = null;
  #epoch = 0;

  constructor(options: HolderServerOptions) {
    this.#options = options;
  }

  get host(): HostConnection | null {
    return this.#host;
  }

  accept(socket: Socket): void {
    const lines = new Lines(2 * maxLineBytes);
    const late = setTimeout(() => socket.destroy(), HELLO_LIMIT);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const isSane = lines.push(chunk as Buffer, (bytes, from, to) => {
        clearTimeout(late);
        this.#hear(socket, bytes.toString("utf8", from, to));
      });
      if (!isSane) socket.destroy();
    });
    socket.on("close", () => {
      clearTimeout(late);
      if (this.#host?.isOn(socket) !== true) return;
      this.#host = null;
      this.#options.onChange();
    });
  }

  #hear(socket: Socket, text: string): void {
    const host = this.#host?.isOn(socket) === true ? this.#host : null;
    // The connection was refused or replaced, so its remaining messages are ignored.
    if (socket.writableEnded) return;
    const said = parseHostSays(text);
    if (host === null) {
      const refusal = this.#refusalOf(said);
      if (refusal !== null) turnAway(socket, refusal.code, refusal.message);
      else this.#welcome(socket, said as Hello);
    } else if (typeof said === "string") {
      host.refuse(keyIn(text), "bad_message", said);
    } else if (said.t === "hello") {
      host.refuse(null, "bad_message", "hello is said once.");
    } else if (said.t === "ack") {
      this.#options.spool.acknowledge(Math.min(said.n, host.sender.sent));
      this.#options.onAck();
    } else {
      this.#options.onOrder(said, host);
    }
  }

  #refusalOf(said: HostSays | string): { code: Refused["code"]; message: string } | null {
    const bad = (message: string) => ({ code: "bad_hello" as const, message });
    const { nonce, spool } = this.#options;
    if (typeof said === "string") return bad(said);
    if (said.t !== "hello") return bad("The first message is hello.");
    if (said.nonce !== nonce) return bad("The nonce is another one.");
    if (said.epoch < this.#epoch) {
      return { code: "old_epoch", message: `A host of epoch ${this.#epoch} was here.` };
    }
    if (!spokenProtocols.includes(said.protocol)) {
      return bad(`This holder speaks ${spokenProtocols.join(" and ")}.`);
    }
    if (said.acked > spool.last) return bad(`There are only ${spool.last} frames.`);
    if (!spool.hasAllAfter(said.acked)) {
      return bad(`Frames behind ${said.acked} were acknowledged and are gone.`);
    }
    return null;
  }

  #welcome(socket: Socket, { epoch, acked }: Hello): void {
    const { spool, hello, onAck, onChange } = this.#options;
    const replaced = this.#host;
    this.#epoch = epoch;
    this.#host = null;
    replaced?.refuse(null, "replaced", "Another host has said hello.");
    replaced?.close();
    spool.acknowledge(acked);
    this.#host = new HostConnection(socket, spool, hello(), acked);
    onChange();
    onAck();
  }
}

function turnAway(socket: Socket, code: Refused["code"], message: string): void {
  say(socket, { t: "refused", key: null, code, message });
  hangUp(socket);
}

/** Closes after pending data was sent, or after a timeout. */
function hangUp(socket: Socket): void {
  const limit = setTimeout(() => socket.destroy(), HANG_UP_LIMIT);
  socket.once("close", () => clearTimeout(limit));
  socket.end();
}

function say(socket: Socket, said: Exclude<HolderSays, { n: number }>): void {
  socket.write(`${JSON.stringify(said)}\n`);
}
