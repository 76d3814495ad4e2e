/**
 * Connections from the egress to the network. A name is resolved here, the addresses are checked
 * after that, and the connection is made to the checked addresses, so that a name that resolves
 * differently the second time gains nothing.
 */

import type { ClientRequest, ClientRequestArgs } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.ts";
import type { AllowedHosts } from "./allowed.ts";
import type { EgressLimits } from "./egress-limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { nodeHttp } from "./node-http.ts";
import { RefusedEndpoint } from "./refusals.ts";

export type Resolve = (name: string) => Promise<readonly string[]>;
/** Connects to the first address that answers. The socket allows half-open connections. */
export type Connect = (addresses: readonly string[], port: number) => Socket;

interface UpstreamOptions {
  readonly allowed: () => AllowedHosts;
  readonly resolve: Resolve;
  readonly connect: Connect;
  readonly clock: Clock;
  readonly limits: EgressLimits;
  /** Certificates to trust instead of Node's own. */
  readonly ca: string | undefined;
}

interface UpstreamRequest {
  readonly endpoint: Endpoint;
  readonly isTls: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
}

/** A name with more addresses gains nothing by them. */
const MOST_ADDRESSES = 16;
const MOST_UNUSED = 8;

export class Upstreams {
  readonly #options: UpstreamOptions;
  #plain: PinnedAgent;
  #tls: PinnedAgent;
  readonly #sockets = new Set<Socket>();
  #opening = 0;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    [this.#plain, this.#tls] = this.#agents();
  }

  /** Rejects with `RefusedEndpoint` for a refused address. */
  open(endpoint: Endpoint): Promise<Socket> {
    return this.#inTime((signal) => this.#open(endpoint, signal));
  }

  request({ endpoint, isTls, ...how }: UpstreamRequest): ClientRequest {
    return nodeHttp.request({
      host: endpoint.host,
      port: endpoint.port,
      method: how.method,
      path: how.path,
      headers: how.headers,
      maxHeaderSize: this.#options.limits.headerBytes,
      setHost: false,
      agent: isTls ? this.#tls : this.#plain,
    });
  }

  /** Closes unused connections, which were made under an earlier policy; those in use go on. */
  closeUnused(): void {
    const before = [this.#plain, this.#tls];
    [this.#plain, this.#tls] = this.#agents();
    for (const agent of before) {
      for (const sockets of Object.values(agent.freeSockets))
        for (const socket of sockets ?? []) {
          socket.destroy();
          this.#sockets.delete(socket);
        }
      agent.keepAlive = false;
    }
  }

  close(): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }

  async #open(endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
    const { allowed, connect, resolve } = this.#options;
    const { host, port, isAddress } = endpoint;
    const found = isAddress ? [host] : (await resolve(host)).slice(0, MOST_ADDRESSES);
    signal.throwIfAborted();
    const refusals = found.map((address) => allowed().refusesAddress(address, port));
    const checked = found.filter((_, index) => refusals[index] === null);
    if (checked.length === 0) {
      const [reason] = refusals;
      throw reason ? new RefusedEndpoint(reason) : new Error("the name has no address");
    }
    const socket = connect(checked, port);
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    socket.setNoDelay(true);
    // Finds out that a silent peer is gone.
    socket.setKeepAlive(true, 60_000);
    await connected(socket, "connect");
    return socket;
  }

  async #openTls(endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
    // Loaded with the first use, because it takes time and memory that many sandboxes do not need.
    const tls = await import("node:tls");
    const { ca } = this.#options;
    const name = endpoint.isAddress ? { host: endpoint.host } : { servername: endpoint.host };
    const socket = tls.connect({
      ...name,
      socket: await this.#open(endpoint, signal),
      ALPNProtocols: ["http/1.1"],
      ...(ca === undefined ? {} : { ca }),
    });
    await connected(socket, "secureConnect");
    return socket;
  }

  /** Limits the time to open a connection, and the connections that are open or being opened. */
  async #inTime(open: (signal: AbortSignal) => Promise<Socket>): Promise<Socket> {
    const { clock, limits } = this.#options;
    const isFull = () => this.#sockets.size + this.#opening >= limits.connections;
    if (isFull()) this.closeUnused();
    if (isFull()) throw new Error("too many connections are open");
    this.#opening += 1;
    const late = new AbortController();
    const cancel = clock.after(limits.connect, () => late.abort(new Error("it took too long")));
    const ended = new Promise<never>((_, reject) => {
      late.signal.addEventListener("abort", () => reject(late.signal.reason), { once: true });
    });
    try {
      const socket = await Promise.race([open(late.signal), ended]);
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      return socket;
    } catch (error) {
      late.abort(error);
      throw error;
    } finally {
      this.#opening -= 1;
      cancel();
    }
  }

  #agents(): [plain: PinnedAgent, tls: PinnedAgent] {
    const { unused } = this.#options.limits;
    return [
      new PinnedAgent(unused, (endpoint) => this.open(endpoint)),
      new PinnedAgent(unused, (endpoint) =>
        this.#inTime((signal) => this.#openTls(endpoint, signal)),
      ),
    ];
  }
}

/** Node's pool of connections by host and port, on connections that were checked. */
class PinnedAgent extends nodeHttp.Agent {
  readonly #open: (endpoint: Endpoint) => Promise<Socket>;
  declare keepAlive: boolean;

  constructor(unused: number, open: (endpoint: Endpoint) => Promise<Socket>) {
    super({ keepAlive: true, timeout: unused, maxFreeSockets: MOST_UNUSED });
    this.#open = open;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const name = host ?? "";
    this.#open({ host: name, port: Number(port), isAddress: isIP(name) !== 0 }).then(
      (socket) => done(null, socket),
      (error: Error) => done(error, undefined as unknown as Duplex),
    );
  }
}

function connected(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    // Later errors come here too, and their reader learns of them by the close.
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed")));
    socket.once(event, () => resolve());
  });
}
