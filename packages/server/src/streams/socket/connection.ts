/** One WebSocket connection: its caller, subscriptions and liveness; silent until authenticated. */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { WebSocket } from "ws";
import type { Caller } from "../../access/credentials/caller.ts";
import { every } from "../every.ts";
import { revokedMessage } from "../last-message.ts";
import type { Stream, Streams } from "../streams.ts";
import { HalfOpenDetector } from "./half-open-detector.ts";
import { dealInOrder } from "./inbox.ts";
import { ListFollower } from "./list-follower.ts";
import { Outbox } from "./outbox.ts";
import type { SessionList } from "./session-list.ts";
import { closeCodes, type Inbound, parseMessage, type SocketRequest } from "./socket-messages.ts";
import { Subscription } from "./subscription.ts";

export interface ConnectionDeps {
  readonly streams: Streams;
  readonly list: SessionList;
  /** The caller, or the reason for the refusal; wrong credentials are counted. */
  readonly authenticate: (secret: string) => Caller | HostError;
  /** Throws the error that a GET of the session would answer with. */
  readonly authorise: (caller: Caller, session: SessionId) => Promise<void>;
  /** Answers like the HTTP route of the same meaning, or throws that route's refusal. */
  readonly answer: (caller: Caller, request: SocketRequest) => Promise<unknown>;
  /** False when the credential has reached its limit of sockets. */
  readonly hasPlace: (caller: Caller) => boolean;
}

export class Connection implements Stream {
  readonly #deps: ConnectionDeps;
  readonly #socket: WebSocket;
  readonly #outbox: Outbox;
  readonly #subscriptions = new Map<SessionId, Subscription>();
  readonly #release: (() => void)[] = [];
  #caller: Caller | null = null;
  #list: ListFollower | null = null;
  #detector: HalfOpenDetector | null = null;

  /** `caller` is null when the socket has to authenticate by its first message. */
  constructor(deps: ConnectionDeps, socket: WebSocket, caller: Caller | null) {
    const { clock, limits } = deps.streams;
    this.#deps = deps;
    this.#socket = socket;
    const { queueBytes } = limits;
    this.#outbox = new Outbox({ socket, queueBytes, onProgress: () => this.#detector?.heard() });
    dealInOrder(socket, limits.inbox, (text) => this.#deal(text));
    // The socket closes after every error, and the close handler cleans up.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#closed());
    deps.streams.add(this);
    if (caller !== null) this.#welcome(caller);
    else this.#release.push(clock.after(limits.auth, () => this.#expire()));
  }

  get callerId(): string | null {
    return this.#caller?.id ?? null;
  }

  restart(): void {
    for (const subscription of this.#subscriptions.values()) subscription.restart();
    this.#socket.close(closeCodes.restart, "restart");
  }

  revoke(): void {
    this.#stopAll();
    this.#outbox.say({ type: revokedMessage.type, ...revokedMessage.said });
    this.#reject();
  }

  cut(): void {
    this.#socket.terminate();
  }

  #expire(): void {
    if (this.#caller === null) this.#reject();
  }

  #reject(why: "unauthorized" | "tooMany" = "unauthorized"): void {
    const { clock, limits } = this.#deps.streams;
    this.#socket.close(closeCodes[why], why === "tooMany" ? "too many tries" : why);
    this.#release.push(clock.after(limits.revoking, () => this.cut()));
  }

  #closed(): void {
    this.#stopAll();
    for (const call of this.#release) call();
    this.#deps.streams.remove(this);
  }

  #stopAll(): void {
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#list?.stop();
  }

  #welcome(caller: Caller): void {
    const { streams, hasPlace } = this.#deps;
    const { clock, limits } = streams;
    if (streams.refusal(caller.id) !== null) {
      this.#reject();
    } else if (!hasPlace(caller)) {
      const said = `This credential already has ${limits.socketsPerCredential} sockets. Close one first.`;
      this.#error(new HostError("limit_reached", said));
      this.#socket.close(closeCodes.tooMany, "too many sockets");
    } else {
      this.#caller = caller;
      this.#detector = new HalfOpenDetector(this.#socket, clock, limits.ping);
      const beats = every(clock, limits.heartbeat, () => this.#heartbeat());
      this.#release.push(this.#detector.stop, beats);
    }
  }

  #heartbeat(): void {
    if (this.#outbox.isFull) return;
    const now = this.#deps.streams.clock.now();
    for (const subscription of this.#subscriptions.values()) subscription.heartbeat(now);
  }

  async #deal(text: string): Promise<void> {
    const message = parseMessage(text);
    try {
      if (this.#caller === null) {
        this.#authenticate(message);
        return;
      }
      // Waits until the client has read earlier answers before handling its next message.
      await this.#outbox.room();
      if (message instanceof HostError) throw message;
      await this.#obey(message, this.#caller);
    } catch (error) {
      const session = "session" in message ? message.session : null;
      if (error instanceof HostError) return this.#error(error, session);
      this.#deps.streams.onError(session, error);
      this.#error(new HostError("internal", "Something went wrong in the host."), session);
    }
  }

  #authenticate(message: Inbound | HostError): void {
    const isAuth = !(message instanceof HostError) && message.type === "auth";
    const caller = isAuth ? this.#deps.authenticate(message.token) : null;
    if (caller === null) this.#reject();
    else if (!(caller instanceof HostError)) this.#welcome(caller);
    else this.#reject(caller.code === "rate_limited" ? "tooMany" : "unauthorized");
  }

  async #obey(message: Inbound, caller: Caller): Promise<void> {
    switch (message.type) {
      case "auth":
        throw new HostError(
          "bad_input",
          "This socket is already authenticated. Open another one instead.",
        );
      case "ping":
        this.#outbox.say({ type: "pong", now: this.#now() });
        break;
      case "subscribe":
        await this.#subscribe(caller, message.session, message.after);
        break;
      case "unsubscribe":
        this.#unsubscribe(message.session);
        this.#outbox.say({ type: "unsubscribed", session: message.session });
        break;
      case "status":
      case "resume":
        await this.#answer(caller, message);
        break;
      case "subscribe_sessions":
        this.#outbox.say({ type: "subscribed_sessions" });
        this.#list ??= new ListFollower(this.#deps.list, caller.tenant, this.#outbox);
        break;
      case "unsubscribe_sessions":
        this.#list?.stop();
        this.#list = null;
        this.#outbox.say({ type: "unsubscribed_sessions" });
        break;
    }
  }

  /** An error names the request, and leaves the session's subscription as it is. */
  async #answer(caller: Caller, request: SocketRequest): Promise<void> {
    const { type, session, id } = request;
    const asked = id === undefined ? {} : { id };
    try {
      const reply = await this.#deps.answer(caller, request);
      this.#outbox.say({ type, session, ...asked, reply });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const { code, message } = error;
      this.#outbox.say({ type: "error", code, message, request: type, ...asked });
    }
  }

  /** Subscribing again to the same session restarts its subscription at `after`. */
  async #subscribe(caller: Caller, session: SessionId, after: number | undefined): Promise<void> {
    const { streams, authorise } = this.#deps;
    this.#unsubscribe(session);
    if (this.#subscriptions.size >= streams.limits.subscriptions) {
      const most = streams.limits.subscriptions;
      throw new HostError(
        "limit_reached",
        `A socket can follow at most ${most} sessions. Open another one.`,
      );
    }
    await authorise(caller, session);
    const outbox = this.#outbox;
    const subscription = await Subscription.open({ streams, outbox, session, after });
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const refusal = streams.crowded(session);
    if (refusal !== null) throw refusal;
    this.#subscriptions.set(session, subscription);
    void subscription.run(caller.id).finally(() => {
      if (this.#subscriptions.get(session) === subscription) this.#subscriptions.delete(session);
    });
  }

  #unsubscribe(session: SessionId): void {
    this.#subscriptions.get(session)?.stop();
    this.#subscriptions.delete(session);
  }

  #error({ code, message }: HostError, session: SessionId | null = null): void {
    this.#outbox.say({ type: "error", code, message, ...(session === null ? {} : { session }) });
  }

  #now(): string {
    return new Date(this.#deps.streams.clock.now()).toISOString();
  }
}
