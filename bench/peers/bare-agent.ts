/** A minimal agent client: one process, its stdio, one request after the other. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { LaunchSpec } from "../../packages/server/src/holder/spool/frames.ts";

interface Said {
  readonly id?: number;
  readonly result?: object;
  readonly error?: { readonly message: string };
}

export class BareAgent {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #asked = new Map<number, PromiseWithResolvers<object>>();
  #lastId = 0;

  constructor({ command, args, cwd, env }: LaunchSpec) {
    this.#child = spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    this.#exited = once(this.#child, "exit");
    const lines = createInterface({ input: this.#child.stdout as Readable });
    lines.on("line", (line) => this.#hear(JSON.parse(line) as Said));
    lines.on("close", () => {
      for (const { reject } of this.#asked.values()) reject(new Error("The agent is gone."));
    });
  }

  ask<T extends object = object>(method: string, params: object): Promise<T> {
    const id = ++this.#lastId;
    const asked = Promise.withResolvers<object>();
    this.#asked.set(id, asked);
    this.#stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return asked.promise as Promise<T>;
  }

  async end(): Promise<void> {
    this.#stdin.end();
    await this.#exited;
  }

  get #stdin(): Writable {
    return this.#child.stdin as Writable;
  }

  #hear({ id = 0, result = {}, error }: Said): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  }
}
