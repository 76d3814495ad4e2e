/** Pages on a real host, with a log of all their requests. */

import { Holdfast, type HoldfastOptions, type SessionSnapshot } from "@holdfast/client";
import { World, type WorldOptions } from "../../../../test/story/world.ts";
import { when } from "../../src/cell.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
}

export class Stage {
  readonly world: World;
  readonly #closing: (() => unknown)[] = [];

  private constructor(world: World) {
    this.world = world;
  }

  static async open(options?: WorldOptions): Promise<Stage> {
    const world = new World(options);
    await world.start();
    return new Stage(world);
  }

  /** A tab: `asked` holds its requests, and closing it equals killing it. */
  page(over: Partial<HoldfastOptions> = {}) {
    const { world } = this;
    const asked: Asked[] = [];
    const fetch: HoldfastOptions["fetch"] = (url, init) => {
      asked.push({ method: init.method ?? "GET", path: new URL(url).pathname });
      return globalThis.fetch(url, init);
    };
    const options = { url: () => world.url, token: world.token, fetch, page: {}, ...over };
    const holdfast = new Holdfast(options);
    this.onEnd(() => holdfast.close());
    const posts = (name: string) =>
      asked.filter(({ method, path }) => method === "POST" && path.endsWith(`/${name}`)).length;
    const reads = (name: string) =>
      asked.filter(({ method, path }) => method === "GET" && path.endsWith(`/${name}`)).length;
    return { holdfast, asked, posts, reads };
  }

  /** A page with an open session. */
  open(session: string, over: Partial<HoldfastOptions> = {}) {
    const page = this.page(over);
    const store = page.holdfast.session(session);
    this.onEnd(store.subscribe(() => undefined));
    const is = (look: (snapshot: SessionSnapshot) => boolean) => when(store, look);
    return { ...page, store, is };
  }

  onEnd(close: () => unknown): void {
    this.#closing.push(close);
  }

  /** Closes all pages; the host stays. */
  async close(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
  }

  async end(): Promise<void> {
    await this.close();
    // Stops the host first, so that its agents do not write into a directory that is being removed.
    await this.world.stop();
    await this.world.end();
  }
}

export const said = ({ messages }: Pick<SessionSnapshot, "messages">): string =>
  (messages.at(-1)?.contentParts ?? [])
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");

export const hasSaid = (part: string) => (snapshot: SessionSnapshot) =>
  said(snapshot).includes(part);
