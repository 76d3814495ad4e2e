/** An SSE client that records every frame with its name, and can stop reading. */

import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";

export interface Frame {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: string;
}

export class Reader {
  readonly frames: Frame[] = [];
  /** The seqs of the journal's events so far. */
  readonly seqs: number[] = [];
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  #text = "";
  #wake: () => void = () => undefined;

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#take(text));
    response.on("error", () => undefined);
    response.on("close", () => this.#wake());
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Reader> {
    const request = get(url, { headers, agent: false });
    request.on("error", () => undefined);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return new Reader(request, response);
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers(): IncomingMessage["headers"] {
    return this.#response.headers;
  }

  named(event: string): unknown[] {
    return this.frames.flatMap((frame) => (frame.event === event ? [JSON.parse(frame.data)] : []));
  }

  /**
   * Resolves once `holds` returns true. Fails by the test's timeout, or at once when the stream has
   * ended.
   */
  async until(holds: (reader: Reader) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.#response.destroyed) throw new Error("the stream ended");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async ended(): Promise<void> {
    const response = this.#response;
    if (!response.closed) await new Promise<void>((resolve) => response.on("close", resolve));
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  leave(): void {
    this.#request.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    for (let at = this.#text.indexOf("\n\n"); at >= 0; at = this.#text.indexOf("\n\n")) {
      this.#add(this.#text.slice(0, at));
      this.#text = this.#text.slice(at + 2);
    }
    this.#wake();
  }

  #add(block: string): void {
    const fields = new Map(block.split("\n").map((line) => split(line)));
    const data = fields.get("data");
    if (data === undefined) return;
    const id = fields.get("id") ?? null;
    const event = fields.get("event") ?? null;
    this.frames.push({ id, event, data });
    if (event === null) this.seqs.push(Number(id));
  }
}

function split(line: string): [string, string] {
  const at = line.indexOf(": ");
  return [line.slice(0, at), line.slice(at + 2)];
}
