/**
 * As much of the Chrome DevTools Protocol as is used, spoken by ourselves: a page that a test library
 * is attached to is kept awake by it, and then no test of a locked phone means anything.
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

/** A stopped process answers nobody; a test must not wait for it for ever. */
const PATIENCE_MS = 30_000;

export class Connection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (told: Told) => void>();
  readonly #listeners = new Set<(told: Told) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#hear(JSON.parse(String(data)) as Told));
    // A browser that was killed says so by being gone.
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
  /** A device of its own, with its own storage; without it, the browser's profile. */
  readonly device?: string | undefined;
}

/** One page. Each has a window of its own: beside another tab in the same window it would be hidden. */
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
      ...{ url: "about:blank", newWindow: true },
      ...(device === undefined ? {} : { browserContextId: device }),
    });
    const { sessionId } = await connection.send<{ sessionId: string }>("Target.attachToTarget", {
      ...{ targetId, flatten: true },
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

  /** Runs it in the page, which knows nothing of what surrounds it here. */
  async evaluate<T, A extends readonly unknown[]>(
    work: (...args: A) => T | Promise<T>,
    ...args: A
  ): Promise<T> {
    const expression = `(${work})(...${JSON.stringify(args)})`;
    return this.run<T>(expression);
  }

  /** The same for text: the policy of a page says nothing about its debugger. */
  async run<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send<Evaluated<T>>("Runtime.evaluate", {
      ...{ expression, awaitPromise: true, returnByValue: true, userGesture: true },
    });
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** As a phone does to a page when it is locked. */
  async freeze(): Promise<void> {
    await this.send("Page.setWebLifecycleState", { state: "frozen" });
  }

  /** Active alone leaves it hidden, and to activate what is in front of its window does nothing. */
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
