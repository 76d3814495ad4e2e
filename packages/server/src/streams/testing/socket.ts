/** A plain `ws` client that records the messages it receives. */

import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";

export interface Told {
  readonly type: string;
  readonly session?: string;
  readonly code?: string;
  readonly seq?: number;
  readonly events?: readonly { readonly seq: number; readonly kind: string }[];
  readonly [field: string]: unknown;
}

export class TestSocket {
  readonly told: Told[] = [];
  readonly socket: WebSocket;
  /** The code with which the socket was closed. */
  readonly closed: Promise<number>;
  readonly #seqs = new Map<string, number[]>();
  readonly #taken = new Map<string, number>();
  #isClosed = false;
  #wake: () => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("message", (data) => {
      const told = JSON.parse(String(data)) as Told;
      this.told.push(told);
      for (const { seq } of told.events ?? []) this.seqs(told.session as string).push(seq);
      this.#wake();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** Without a secret the socket is not authenticated yet. */
  static async open(
    port: number,
    secret: string | null,
    options: ClientOptions = {},
  ): Promise<TestSocket> {
    const headers = secret === null ? {} : { authorization: `Bearer ${secret}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, { headers, ...options });
    const opened = new TestSocket(socket);
    await once(socket, "open");
    return opened;
  }

  say(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  of(type: string, session?: string): Told[] {
    return this.told.filter(
      (told) => told.type === type && (session === undefined || told.session === session),
    );
  }

  /** The seqs of a session's events, in the order of their arrival. */
  seqs(session: string): number[] {
    const seqs = this.#seqs.get(session) ?? [];
    this.#seqs.set(session, seqs);
    return seqs;
  }

  /**
   * Resolves once `holds` returns true. Fails by the test's timeout, or at once when the socket was
   * closed.
   */
  async until(holds: (socket: TestSocket) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.#isClosed) throw new Error("the socket was closed");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The first message of this type that was not returned yet. */
  async next(type: string): Promise<Told> {
    const taken = this.#taken.get(type) ?? 0;
    this.#taken.set(type, taken + 1);
    await this.until((socket) => socket.of(type).length > taken);
    return this.of(type)[taken] as Told;
  }
}
