/** A world whose host takes other start options, and whose whole output is kept. */

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
  /** Additional flags for `serve`. */
  readonly flags?: readonly string[];
  /** A program to run instead of the CLI, with the same flags and the same ready line. */
  readonly entry?: readonly string[];
}

export type Fields = readonly (readonly [string, string])[];

export interface Asking extends Partial<Omit<Message, "headers" | "method" | "target">> {
  readonly headers?: Fields;
  /** The bearer token; null omits it. */
  readonly as?: string | null;
  /** The Host header if not the right one; null omits it. */
  readonly host?: string | null;
}

export interface Told {
  readonly status: number;
  readonly body: string;
}

export class Target extends World {
  /** All stdout and stderr output of all boots. */
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
    // `close` comes after both streams were read to their ends.
    const closed = once(child, "close");
    child.kill(signal);
    const [code, by] = await closed;
    return (code ?? by) as number | string;
  }

  /** Sends one request unchanged, byte by byte, on its own connection. */
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

  /**
   * Sends a request on a kept-alive connection, with the path unchanged; for thousands of requests.
   */
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

  /** Sends arbitrary bytes. */
  bytes(text: string | Buffer): Promise<Answer> {
    return raw(this.port, text);
  }

  /** True when the host still works: it creates, runs and ends a session. */
  async isWell(): Promise<boolean> {
    const { id } = await this.create("/say well");
    await this.untilKind(id, "run.completed");
    return (await this.client.call("endSession", { params: { sessionId: id } })).session.id === id;
  }
}

const json = ["Content-Type", "application/json"] as const;
const hasType = (headers: Fields) =>
  headers.some(([name]) => name.toLowerCase() === "content-type");

/** Runs all, several at once, as a scanner would. */
export async function inTurn<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all].reverse();
  const worker = async () => {
    for (let one = rest.pop(); one !== undefined; one = rest.pop()) await act(one);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
