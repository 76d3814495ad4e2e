/**
 * The least work of a durable stream beyond the floor's file: numbered sessions, followers over
 * HTTP, and every frame sent after its line is synced. Past frames cannot be read.
 */

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export class FloorSessions {
  readonly #followers: Set<ServerResponse>[] = [];
  readonly #out: string[] = [];
  readonly #scheduled = new Set<number>();

  open(count: number): string[] {
    for (let i = 0; i < count; i++) {
      this.#followers.push(new Set());
      this.#out.push("");
    }
    return this.#followers.map((_, i) => `/${i}`);
  }

  /** Queues frames; all frames of one group go out in one write per follower. */
  publish(session: number, frames: string): void {
    this.#out[session] += frames;
    if (this.#scheduled.size === 0) setImmediate(() => this.#flush());
    this.#scheduled.add(session);
  }

  async listen(): Promise<number> {
    const server = createServer((request, response) => {
      const followers = this.#followers[Number(request.url?.slice(1))];
      if (followers === undefined) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.flushHeaders();
      followers.add(response);
      response.on("close", () => followers.delete(response));
    });
    server.listen(0, "127.0.0.1", 4096);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  #flush(): void {
    for (const session of this.#scheduled) {
      const bytes = Buffer.from(this.#out[session] ?? "");
      this.#out[session] = "";
      for (const follower of this.#followers[session] ?? []) follower.write(bytes);
    }
    this.#scheduled.clear();
  }
}
