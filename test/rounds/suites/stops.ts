/**
 * [P31]: SIGTERM while clients post and follow. The host exits in time with code 0; every stream
 * ends with a position and continues there after the next boot; and every acknowledged request is
 * in the journal.
 */

import { ApiError, createClient } from "@holdfast/client";
import type { Event } from "@holdfast/protocol";
import { type Context, eachPoint, type Suite } from "../../long/suite.ts";
import { type Follower, followBySocket, followBySse } from "../../story/followers.ts";
import type { World } from "../../story/world.ts";
import { Figures } from "../figures.ts";
import { eventually } from "../survivors.ts";
import { inWorld, type RoundOptions } from "../worlds.ts";

const LIMIT = 10_000;
const SESSIONS = 3;
/** Answers per session in each boot, so that the stop comes in the middle of them. */
const ANSWERS = 20;
const PATIENCE = 30_000;

export const stops: Suite = {
  name: "stops",
  async run(context) {
    const lives = context.short ? 5 : 50;
    const title =
      `SIGTERM × ${lives} while clients post, and follow by SSE and WebSocket: exit within 10 s with code 0,` +
      " every answered command is journalled once, streams end with a marker and go on after it [P31]";
    await context.test(title, () => manyStops(context, lives));
  },
};

export function manyStops(
  context: Context,
  lives: number,
  options: RoundOptions = {},
): Promise<string[]> {
  return inWorld({ ...options, pace: 1 }, async (world) => {
    const ids: string[] = [];
    while (ids.length < SESSIONS) ids.push((await world.create()).id);
    const clients = ids.map((id) => new Busy(world, id));
    const times: number[] = [];
    const points = Array.from({ length: lives }, (_, life) => life);
    try {
      const problems = await eachPoint(
        context,
        points,
        (life) => oneLife(world, clients, life, times),
        1,
      );
      for (const client of clients) problems.push(...(await client.judge()));
      const sum = (count: (client: Busy) => number) => clients.reduce((s, c) => s + count(c), 0);
      context.say(`exit after ${new Figures(times)}; ${sum((c) => c.answered)} answered`);
      if (sum((c) => c.answered) < lives * ANSWERS) problems.push("void: too few were answered");
      return problems;
    } finally {
      for (const client of clients) client.close();
    }
  });
}

async function oneLife(
  world: World,
  clients: readonly Busy[],
  life: number,
  times: number[],
): Promise<string[]> {
  if (life > 0) await world.start();
  const lives = clients.map((client) => client.live(life));
  const isBusy = () => clients.every((client) => client.isBusy);
  const problems: string[] = [];
  if ((await eventually(isBusy, PATIENCE)) === null) problems.push("void: it did not get busy");
  const from = performance.now();
  const code = await inTime(world.stop());
  const ms = performance.now() - from;
  times.push(ms);
  if (code === null) await world.kill();
  if (code !== 0 || ms > LIMIT) problems.push(`exit ${code} after ${Math.round(ms)} ms`);
  await Promise.all(lives);
  for (const client of clients) problems.push(...(await client.markers(life)));
  return problems;
}

/** The result; null when it takes twice as long as allowed. */
async function inTime<T>(act: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), 2 * LIMIT);
  return Promise.race([act, late.promise]).finally(() => clearTimeout(timer));
}

type Answer = "yes" | "no" | "unknown";

/** The users of one session: two who rename it, one who prompts, and two who follow. */
class Busy {
  readonly #world: World;
  readonly #id: string;
  readonly #followers: readonly Follower[];
  /** Requests by their unique text, with their answers. */
  readonly #sent = new Map<string, Answer>();
  #answeredBefore = 0;
  #seenBefore: readonly number[] = [];

  constructor(world: World, id: string) {
    this.#world = world;
    this.#id = id;
    this.#followers = [followBySse(world, id), followBySocket(world, id)];
  }

  get answered(): number {
    return [...this.#sent.values()].filter((answer) => answer === "yes").length;
  }

  /** True when requests were answered in this boot and every follower has received events. */
  get isBusy(): boolean {
    const seen = this.#followers.every(
      ({ seqs }, i) => seqs.length > (this.#seenBefore[i] ?? 0) + ANSWERS / 2,
    );
    return seen && this.answered - this.#answeredBefore >= ANSWERS;
  }

  /** Posts until the host no longer accepts requests. */
  async live(life: number): Promise<void> {
    this.#answeredBefore = this.answered;
    this.#seenBefore = this.#followers.map(({ seqs }) => seqs.length);
    const { url, token } = this.#world;
    // Without retries: a hidden retry would mask the result of the first try.
    const client = createClient({ url, token, tries: 1 });
    const params = { sessionId: this.#id };
    const rename = (title: string) => client.call("updateSession", { params, body: { title } });
    const prompt = (words: string) =>
      client.call("sendMessage", { params, body: { content: `/say ${words}`, clientId: words } });
    await Promise.all([
      this.#post(`${life} a`, rename),
      this.#post(`${life} b`, rename),
      this.#post(`${life} prompt`, prompt),
    ]);
  }

  async #post(name: string, send: (words: string) => Promise<unknown>): Promise<void> {
    for (let n = 0; ; n++) {
      const words = `${name} ${n}`;
      this.#sent.set(words, "unknown");
      try {
        await send(words);
        this.#sent.set(words, "yes");
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        this.#sent.set(words, "no");
        // A full queue empties by itself; a host that stops says so, and gets no further requests.
        if (error.status !== 429 && error.code !== "limit_reached") return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /**
   * Checks that each follower got one end marker in this boot, with the position to continue from.
   */
  async markers(life: number): Promise<string[]> {
    const told = () => this.#followers.every(({ ends }) => ends.length > life);
    await eventually(told, 2000);
    return this.#followers.flatMap(({ ends, seqs }, i) => {
      const [end, last] = [ends.at(-1), seqs.at(-1)];
      if (ends.length !== life + 1) return [`follower ${i} has ${ends.length} markers`];
      const fits = end?.reason === "restart" && end.seq === last;
      return fits ? [] : [`follower ${i} is at ${last}, its marker is ${JSON.stringify(end)}`];
    });
  }

  /** After the last boot: compares the journal with the answers and the followed events. */
  async judge(): Promise<string[]> {
    if (this.#world.hostPid === 0) await this.#world.start();
    const events = await this.#world.events(this.#id);
    const problems: string[] = [];
    const times = new Map<string, number>();
    for (const words of events.flatMap(wordsOf)) times.set(words, (times.get(words) ?? 0) + 1);
    for (const [words, answer] of this.#sent) {
      const stored = times.get(words) ?? 0;
      const fits = { yes: stored === 1, no: stored === 0, unknown: stored <= 1 }[answer];
      if (!fits) problems.push(`"${words}" was answered ${answer} and is stored ${stored} times`);
    }
    const caughtUp = () => this.#followers.every(({ seqs }) => seqs.length >= events.length);
    await eventually(caughtUp, PATIENCE);
    for (const [i, { seqs }] of this.#followers.entries()) {
      if (!seqs.every((seq, at) => seq === at + 1) || seqs.length < events.length) {
        problems.push(`follower ${i} saw ${seqs.length} of ${events.length}, not in one row`);
      }
    }
    return problems;
  }

  close(): void {
    for (const follower of this.#followers) follower.close();
  }
}

function wordsOf(event: Event): string[] {
  if (event.kind === "session.renamed") return [event.title];
  const isMessage = event.kind === "message.user" || event.kind === "message.queued";
  return isMessage && event.clientId !== undefined ? [event.clientId] : [];
}
