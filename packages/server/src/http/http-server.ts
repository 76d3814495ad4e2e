/** The host's HTTP server: the app, its guard and the streams. */

import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { HostError, type SessionId } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import { bindWarning, boundNames } from "../access/bind.ts";
import type { Access } from "../access/credentials/access.ts";
import type { Caller } from "../access/credentials/caller.ts";
import { refuseRoute } from "../access/credentials/grants.ts";
import { guarded } from "../access/guard/middleware.ts";
import { admitUpgrade } from "../access/guard/upgrade.ts";
import { Failures } from "../access/limits/failures.ts";
import { hostLimits } from "../access/limits/host-limits.ts";
import { limitServer } from "../access/limits/limits.ts";
import { agentView } from "../agents/table/table.ts";
import type { Config } from "../config.ts";
import { type HostParts, reportError } from "../host.ts";
import { serveSockets } from "../streams/socket/socket.ts";
import type { Streams } from "../streams/streams.ts";
import { createApp } from "./app.ts";
import { bound } from "./listen.ts";
import type { HandlerDeps } from "./request/deps.ts";
import {
  type CameBy,
  type LinkAddresses,
  linkAddresses,
  ownAddress,
} from "./request/link-addresses.ts";
import { sessionAt } from "./request/resolve-ids.ts";
import { Shell } from "./shell.ts";
import { socketAnswers } from "./socket-answers.ts";
import { streamHandlers } from "./stream-handlers.ts";

/** Opens the server, admits callers and upgrades, and closes all connections at the end. */
export class HttpServer {
  readonly #config: Config;
  readonly #streams: Streams;
  readonly #access: Access;
  readonly #host: HostParts;
  readonly #failures: Failures;
  #server: Server | null = null;
  #port = 0;

  constructor(config: Config, access: Access, streams: Streams, host: HostParts) {
    this.#config = config;
    this.#access = access;
    this.#streams = streams;
    this.#host = host;
    this.#failures = new Failures(host.clock);
    access.onRevoked((id) => streams.revoke(id));
  }

  async open(): Promise<string> {
    const { host: hostname, port } = this.#config;
    const limits = { ...hostLimits, ...this.#config.limits };
    const our = {
      access: this.#access,
      failures: this.#failures,
      port: () => this.#port,
      names: this.#names(),
    };
    const shell = new Shell();
    const deps: HandlerDeps = {
      host: this.#host,
      access: this.#access,
      linkAddresses: (cameBy) => this.addresses(cameBy),
      command: this.#config.command ?? "holdfast",
      agents: async () => this.#host.definitions.map(agentView),
      checkAgent: (name) => this.#host.checkAgent(name),
      live: () => {
        const { runtimes } = this.#host;
        return { runtimes: runtimes.live, followers: this.#streams.count };
      },
      runCreated: (id, caller) => this.#streams.tokens.created(id, caller.id),
      seen: (session) => this.#host.watch.seen(session),
      limits,
      random: (bytes) => randomBytes(bytes),
      onError: reportError,
    };
    const app = createApp({
      ...deps,
      guard: guarded({ ...our, changes: limits.changes, shell: shell.paths }),
      streams: streamHandlers(this.#streams),
    });
    shell.serve(app);
    const warning = bindWarning(this.#config);
    if (warning !== null) process.stderr.write(`holdfast: ${warning}\n`);
    const server = await bound(app.fetch, hostname, port);
    this.#server = server;
    const address = server.address();
    this.#port = typeof address === "object" && address !== null ? address.port : port;
    limitServer(server);
    serveSockets(this.#streams, {
      server,
      admits(request) {
        const admitted = admitUpgrade(request, our);
        return admitted instanceof HostError ? admitted : null;
      },
      authenticate: (secret, address) => this.#reader(secret, address),
      authorise: (caller, session) => this.#authorise(caller, session),
      answer: socketAnswers(deps),
    });
    return ownAddress({ host: hostname, port: this.#port });
  }

  /** Streams close first, with an event that tells clients to reconnect. */
  async close(): Promise<void> {
    await this.#streams.close();
    const server = this.#server;
    if (server === null) return;
    await new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  }

  #reader(secret: string, address: string): Caller | HostError {
    const caller = this.#access.authenticate(secret);
    if (caller === null) return this.#failures.count(address);
    return refuseRoute(caller, routes.socket) ?? caller;
  }

  async #authorise({ tenant }: Caller, session: SessionId): Promise<void> {
    await sessionAt(this.#host, session, tenant);
    this.#host.watch.seen(session);
  }

  /** The default is for the host's own start-up message, which has no request. */
  addresses(cameBy: CameBy = { host: undefined, origin: undefined }): LinkAddresses {
    const { host } = this.#config;
    return linkAddresses({ host, port: this.#port, names: this.#names() }, cameBy);
  }

  #names(): readonly string[] {
    const { host, names } = this.#config;
    return [...names, ...boundNames(host)];
  }
}
