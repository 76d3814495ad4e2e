/**
 * A minimal client of the Chrome DevTools Protocol. A test library would keep its page awake, which
 * would make a test of a locked phone meaningless.
 */

import { once } from "node:events";
import { WebSocket } from "ws";

type Params = Readonly<Record<string, unknown>>;

interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** Timeout, because a stopped process does not answer. */
const PATIENCE_MS = 30_000;

export class Connection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (told: Told) => void>();
  readonly #listeners = new Set<(told: Told) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#hear(JSON.parse(String(data)) as Told));
    // A killed browser closes the socket, which is handled below.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      for (const answer of this.#waiting.values()) answer({ error: { message: "it is gone" } });
    });
  }

  static async open(url: string): Promise<Connection> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 2 ** 28 });
    await once(socket, "open");
    return new Connection(socket);
  }

  send<T = unknown>(method: string, params: Params = {}, sessionId?: string): Promise<T> {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error(`${method}: it is gone`));
    }
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const limit = setTimeout(
      () => this.#waiting.get(id)?.({ error: { message: "no answer" } }),
      PATIENCE_MS,
    );
    this.#waiting.set(id, ({ result, error }) => {
      clearTimeout(limit);
      this.#waiting.delete(id);
      if (error === undefined) resolve(result as T);
      else reject(new Error(`${method}: ${error.message}`));
    });
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    return promise;
  }

  listen(listener: (told: Told) => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear(told: Told): void {
    if (told.id !== undefined) this.#waiting.get(told.id)?.(told);
    else for (const listener of this.#listeners) listener(told);
  }
}

export interface TargetOptions {
  /** A device with its own storage; without it, the browser's profile. */
  readonly device?: string | undefined;
}

/** One page, in a window of its own: beside another tab in the same window it would be hidden. */
export class Target {
  readonly #connection: Connection;
  readonly #id: string;
  readonly #session: string;

  private constructor(connection: Connection, id: string, session: string) {
    this.#connection = connection;
    this.#id = id;
    this.#session = session;
  }

  static async create(connection: Connection, { device }: TargetOptions = {}): Promise<Target> {
    const { targetId } = await connection.send<{ targetId: string }>("Target.createTarget", {
      url: "about:blank",
      newWindow: true,
      ...(device === undefined ? {} : { browserContextId: device }),
    });
    const { sessionId } = await connection.send<{ sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    return new Target(connection, targetId, sessionId);
  }

  send<T = unknown>(method: string, params: Params = {}): Promise<T> {
    return this.#connection.send<T>(method, params, this.#session);
  }

  on<T>(method: string, listener: (params: T) => void): void {
    this.#connection.listen((told) => {
      if (told.sessionId === this.#session && told.method === method) listener(told.params as T);
    });
  }

  /** Runs a function in the page; it cannot use variables of this process. */
  async evaluate<T, A extends readonly unknown[]>(
    work: (...args: A) => T | Promise<T>,
    ...args: A
  ): Promise<T> {
    const expression = `(${work})(...${JSON.stringify(args)})`;
    return this.run<T>(expression);
  }

  /** Runs source text in the page; the page's content policy does not apply to the debugger. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send<Evaluated<T>>("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** Freezes the page, as a phone does when it is locked. */
  async freeze(): Promise<void> {
    await this.send("Page.setWebLifecycleState", { state: "frozen" });
  }

  /**
   * Makes the page active and visible. Active alone leaves it hidden, and activating a window that
   * is already in front has no effect.
   */
  async thaw(): Promise<void> {
    await this.send("Page.setWebLifecycleState", { state: "active" });
    const { windowId } = await this.send<{ windowId: number }>("Browser.getWindowForTarget");
    for (const windowState of ["minimized", "normal"]) {
      await this.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
    }
  }

  async close(): Promise<void> {
    await this.#connection.send("Target.closeTarget", { targetId: this.#id });
  }
}

interface Evaluated<T> {
  readonly result: { readonly value: T };
  readonly exceptionDetails?: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}
