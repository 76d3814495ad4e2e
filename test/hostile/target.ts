/** A world whose host may be started in other ways, and whose every word is kept to be looked at. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { type Client, createClient } from "@holdfast/client";
import {
  type Answer,
  bytesOf,
  type Message,
  raw,
} from "../../packages/server/src/access/testing/raw.ts";
import { bin, type Ready } from "../host/process.ts";
import { World } from "../story/world.ts";

export interface TargetOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** More flags for `serve`. */
  readonly flags?: readonly string[];
  /** Another program than the CLI, that takes the same flags and prints the same line. */
  readonly entry?: readonly string[];
}

export type Fields = readonly (readonly [string, string])[];

export interface Asking extends Partial<Omit<Message, "headers" | "method" | "target">> {
  readonly headers?: Fields;
  /** The bearer; null for none. */
  readonly as?: string | null;
  /** Another Host than the right one; null for none. */
  readonly host?: string | null;
}

export interface Told {
  readonly status: number;
  readonly body: string;
}

export class Target extends World {
  /** All it wrote to stdout and stderr, in all its lives. */
  printed = "";
  said = "";
  readonly #settings: TargetOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  #child: ChildProcess | null = null;
  #ready: Ready = { ready: true, url: "http://127.0.0.1:0", token: "", bootId: "" };

  constructor(settings: TargetOptions = {}) {
    super();
    this.#settings = settings;
  }

  override get url(): string {
    return this.#ready.url;
  }

  override get token(): string {
    return this.#ready.token;
  }

  override get hostPid(): number {
    return this.#child?.pid ?? 0;
  }

  override get client(): Client {
    return this.as(this.token);
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  as(token: string): Client {
    return createClient({ url: this.url, token, tries: 1 });
  }

  override async start(): Promise<void> {
    const { env, flags = [], entry = [bin] } = this.#settings;
    const args = [...entry, "serve", "--json", "--port", String(this.port), "--data", this.data];
    const child = spawn(process.execPath, [...args, ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOLDFAST_DEMO_PACE_MS: "1", ...env },
    });
    child.stderr.on("data", (chunk) => {
      this.said += String(chunk);
    });
    child.stdout.on("data", (chunk) => {
      this.printed += String(chunk);
    });
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), "line"),
      once(child, "close").then(([code]) => Promise.reject(new Error(`${code}: ${this.said}`))),
    ]);
    this.#child = child;
    this.#ready = JSON.parse(String(line)) as Ready;
  }

  override kill(): Promise<void> {
    return this.#end("SIGKILL").then(() => undefined);
  }

  override stop(): Promise<number | string | undefined> {
    return this.#end("SIGTERM");
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<number | string | undefined> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return undefined;
    // `close` comes when both of its streams were read to their ends.
    const closed = once(child, "close");
    child.kill(signal);
    const [code, by] = await closed;
    return (code ?? by) as number | string;
  }

  /** One request as it is written here, byte by byte, over a connection of its own. */
  ask(method: string, target: string, asking: Asking = {}): Promise<Answer> {
    const { headers = [], as = this.token, host = `127.0.0.1:${this.port}`, ...rest } = asking;
    const fields: Fields = [
      ...(host === null ? [] : [["Host", host] as const]),
      ...(as === null ? [] : [["Authorization", `Bearer ${as}`] as const]),
      ...headers,
      ...(rest.body === undefined || hasType(headers) ? [] : [json]),
    ];
    return raw(this.port, bytesOf({ method, target, headers: fields, ...rest }));
  }

  /** Over connections that are kept, with the path as it is; for thousands of them. */
  quick(method: string, path: string, as = this.token, body?: string): Promise<Told> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${as}`,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      };
      const place = { host: "127.0.0.1", port: this.port, agent: this.#agent };
      const asked = request({ ...place, method, path, headers });
      asked.on("error", reject);
      asked.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      });
      asked.end(body);
    });
  }

  override async end(): Promise<void> {
    this.#agent.destroy();
    await super.end();
  }

  /** Any bytes at all. */
  bytes(text: string | Buffer): Promise<Answer> {
    return raw(this.port, text);
  }

  /** Whether the host still does what it is for. */
  async isWell(): Promise<boolean> {
    const { id } = await this.create("/say well");
    await this.untilKind(id, "run.completed");
    return (await this.client.call("endSession", { params: { sessionId: id } })).session.id === id;
  }
}

const json = ["Content-Type", "application/json"] as const;
const hasType = (headers: Fields) =>
  headers.some(([name]) => name.toLowerCase() === "content-type");

/** Some at once, as a scanner would. */
export async function inTurn<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all].reverse();
  const worker = async () => {
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) await act(one);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
