/**
 * The host's end of a connection to a holder. Frames are pulled: while the host is busy with its
 * journal it does not read, and the frames stay in the holder's spool. Replies and refusals arrive
 * between frames, so they too arrive only while frames are pulled.
 */

import type { Socket } from "node:net";
import type { Json } from "@holdfast/protocol";
import type { Answer } from "../agent/agent-rpc.ts";
import { readIdentity } from "../directory/identity.ts";
import { readLaunchFile } from "../directory/launch-file.ts";
import {
  type Ending,
  type Frame,
  type HolderHello,
  type HolderSays,
  type HostSays,
  holderProtocol,
  isFrame,
  type LaunchSpec,
  maxLineBytes,
  type Refused,
  type Reply,
} from "../spool/frames.ts";
import { Lines, parseLines } from "../spool/lines.ts";
import { connectHolderSocket } from "./holder-socket.ts";

export interface LinkOptions {
  readonly dir: string;
  readonly epoch: number;
  readonly acked: number;
  readonly timeoutMs: number;
  readonly onReply?: (reply: Reply) => void;
  /** Gets refusals of orders. A refusal of the connection itself ends the link. */
  readonly onRefused?: (refused: Refused) => void;
}

export interface Link {
  readonly hello: HolderHello;
  /**
   * Frames from `acked + 1` on, without a gap, one batch per read of the socket. Ends with the
   * link; throws on invalid data. Iterate it once; leaving the loop closes the link.
   */
  readonly frames: AsyncIterable<readonly Frame[]>;
  readonly bytesRead: number;
  launch(key: string, spec: LaunchSpec): void;
  request(key: string, method: string, params: Json): void;
  /** With `drain` the agent's output is read even if the spool is full. */
  notify(key: string, method: string, params: Json, options?: { readonly drain?: boolean }): void;
  /** `to` is the number of the question's frame. */
  answer(key: string, to: number, answer: Answer): void;
  /** Stops all processes of the agent, or lets them go on; a frame follows. */
  setFrozen(key: string, isFrozen: boolean): void;
  /** Confirms that all frames up to `n` are durable. */
  ack(n: number): void;
  end(ending: Ending, leave: boolean): void;
  /** Closes after pending data was sent. */
  close(): void;
  /** Closes at once and drops pending data. */
  drop(): void;
}

export class HolderRefused extends Error {
  override readonly name = "HolderRefused";
  readonly code: Refused["code"];

  constructor({ code, message }: Refused) {
    super(message);
    this.code = code;
  }
}

/** Rejects with HolderRefused, with the system's error when no process listens, or after the timeout. */
export async function connectHolder(options: LinkOptions): Promise<Link> {
  const { dir, epoch, acked, timeoutMs } = options;
  const nonce = readLaunchFile(dir)?.nonce;
  if (nonce === undefined) throw new Error(`${dir} is not the directory of a holder.`);
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = await connectHolderSocket(dir, signal);
  const giveUp = () => socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", giveUp);
  try {
    const link = new SocketLink(socket, options);
    link.say({ t: "hello", protocol: protocolOf(dir), nonce, epoch, acked });
    await link.greeted(nonce);
    return link;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** The protocol of the holder in this directory. It is alive, so its identity is on disk. */
function protocolOf(dir: string): number {
  const identity = readIdentity(dir);
  return identity?.kind === "holder" ? identity.protocol : holderProtocol;
}

class SocketLink implements Link {
  readonly frames: AsyncIterable<readonly Frame[]>;
  readonly #socket: Socket;
  readonly #options: LinkOptions;
  readonly #reads: AsyncGenerator<readonly Frame[], void, void>;
  /** Frames that arrived in one read with the hello. */
  readonly #early: Frame[] = [];
  #hello: HolderHello | null = null;
  #last: number;

  constructor(socket: Socket, options: LinkOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#last = options.acked;
    this.#reads = this.#read();
    this.frames = this.#framesRead();
    socket.on("error", () => undefined);
  }

  get hello(): HolderHello {
    return this.#hello as HolderHello;
  }

  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  async greeted(nonce: string): Promise<void> {
    while (this.#hello === null) {
      const { value, done } = await this.#reads.next();
      if (done === true) throw new Error("The holder hung up before it said hello.");
      this.#early.push(...value);
    }
    if (this.#hello.nonce !== nonce) throw new Error("Whoever listens there is another holder.");
  }

  launch(key: string, spec: LaunchSpec): void {
    this.say({ t: "launch", key, spec });
  }

  request(key: string, method: string, params: Json): void {
    this.say({ t: "request", key, method, params });
  }

  notify(key: string, method: string, params: Json, { drain = false } = {}): void {
    this.say({ t: "notify", key, method, params, drain });
  }

  answer(key: string, to: number, answer: Answer): void {
    this.say({ t: "answer", key, to, ...answer });
  }

  setFrozen(key: string, isFrozen: boolean): void {
    this.say({ t: isFrozen ? "freeze" : "thaw", key });
  }

  ack(n: number): void {
    this.say({ t: "ack", n });
  }

  end(ending: Ending, leave: boolean): void {
    this.say({ t: "end", ending, leave });
  }

  close(): void {
    this.#socket.destroySoon();
  }

  drop(): void {
    this.#socket.destroy();
  }

  /** On a closed link the message is dropped, as on a broken connection: the next link sends it again. */
  say(said: HostSays): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(said)}\n`);
  }

  async *#framesRead(): AsyncGenerator<readonly Frame[], void, void> {
    if (this.#early.length > 0) yield this.#early;
    for await (const frames of this.#reads) if (frames.length > 0) yield frames;
  }

  /** Yields one batch per read of the socket; the next read waits until the batch is requested. */
  async *#read(): AsyncGenerator<readonly Frame[], void, void> {
    const lines = new Lines(maxFrameBytes);
    try {
      for await (const chunk of this.#socket) {
        const frames: Frame[] = [];
        const isSane = lines.pushTogether(chunk as Buffer, (bytes, from, to) => {
          for (const said of parseLines(bytes, from, to)) this.#take(said as HolderSays, frames);
        });
        if (!isSane) throw new LinkBroken("A frame is longer than any may be.");
        yield frames;
      }
    } catch (error) {
      if (!isHungUp(error) || this.#hello === null) throw error;
    } finally {
      this.close();
    }
  }

  #take(said: HolderSays, frames: Frame[]): void {
    if (isFrame(said)) {
      if (said.n !== this.#last + 1) {
        throw new LinkBroken(`Frame ${said.n} came behind frame ${this.#last}.`);
      }
      this.#last = said.n;
      frames.push(said);
    } else if (said.t === "hello") {
      this.#hello = said;
    } else if (said.t === "reply") {
      this.#options.onReply?.(said);
    } else if (this.#hello === null) {
      throw new HolderRefused(said);
    } else {
      this.#options.onRefused?.(said);
    }
  }
}

/** The agent's longest line, and room for the frame's own fields. */
const maxFrameBytes = maxLineBytes + 64 * 1024;

class LinkBroken extends Error {
  override readonly name = "LinkBroken";
}

/** True when either side closed the socket: no frame is lost, the rest arrives over the next link. */
function isHungUp(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" || code === "EPIPE" || code === "ERR_STREAM_PREMATURE_CLOSE";
}
