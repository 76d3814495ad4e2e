/**
 * The client's side of the unix socket. When the connection closes, the result of open requests is
 * unknown.
 */

import { connect, type Socket } from "node:net";
import { onLines, type Reply, type Request } from "./socket.ts";

export type Answer =
  | { readonly value: unknown }
  | { readonly code: string }
  | { readonly unknown: true };

const PATIENCE_MS = 30_000;

export class Wire {
  readonly #path: string;
  #socket: Socket | null = null;
  #connecting: Promise<Socket | null> | null = null;
  #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async ask(
    session: string,
    name: string,
    input: Record<string, unknown> = {},
    fault?: Request["fault"],
  ): Promise<Answer> {
    this.#connecting ??= this.#connect();
    const socket = await this.#connecting;
    if (socket === null) return { unknown: true };
    const id = ++this.#last;
    const request: Request = { id, session, name, input, ...(fault && { fault }) };
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.close(), PATIENCE_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      });
      socket.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** The value of a call that must succeed. */
  async get<T>(session: string, name: string, input: Record<string, unknown> = {}): Promise<T> {
    const answer = await this.ask(session, name, input);
    if ("value" in answer) return answer.value as T;
    throw new Error(`${name} ${JSON.stringify(input)}: ${JSON.stringify(answer)}`);
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#connecting = null;
    for (const give of this.#waiting.values()) give({ unknown: true });
  }

  #connect(): Promise<Socket | null> {
    const socket = connect(this.#path);
    const gone = () => {
      if (this.#socket === socket || this.#socket === null) this.close();
    };
    onLines(socket, (line) => {
      const reply = JSON.parse(line) as Reply;
      this.#waiting.get(reply.id)?.(
        "code" in reply ? { code: reply.code } : { value: reply.value },
      );
    });
    return new Promise((resolve) => {
      socket.on("close", gone);
      socket.once("error", () => {
        gone();
        resolve(null);
      });
      socket.once("connect", () => {
        this.#socket = socket;
        resolve(socket);
      });
    });
  }
}
