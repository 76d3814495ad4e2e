/**
 * Followers on plain sockets, in their own process. They count marks, check that each arrives once
 * and in order, and measure its delay.
 */

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../stats.ts";
import { Body } from "../streams/body.ts";
import { nowUs, Scanner } from "../streams/marks.ts";
import { answer } from "../streams/remote.ts";

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Seen {
  readonly marks: number;
  readonly gaps: number;
  readonly dups: number;
  /** Number of followers that received the last mark. */
  readonly complete: number;
  readonly firstSaidUs: number;
  readonly lastSeenUs: number;
  readonly p50: number;
  readonly p99: number;
}

class Follower {
  next = 1;
  marks = 0;
  gaps = 0;
  dups = 0;

  async open({ port, path, headers }: Target): Promise<void> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const said = { host: `127.0.0.1:${port}`, accept: "text/event-stream", ...headers };
    const lines = Object.entries(said).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    const body = new Body();
    const scanner = new Scanner();
    const begun = Promise.withResolvers<void>();
    socket.on("data", (chunk) => {
      const isThere = body.push(chunk, (bytes) => {
        const now = nowUs();
        scanner.push(bytes, (seq, at) => this.#see(seq, at, now));
      });
      if (!isThere) return;
      if (body.status === 200) begun.resolve();
      else begun.reject(new Error(`followers: ${path} answers ${body.status}`));
    });
    socket.on("error", (error) => begun.reject(error));
    await begun.promise;
  }

  expect(from: number): void {
    this.next = from;
    this.marks = 0;
    this.gaps = 0;
    this.dups = 0;
  }

  #see(seq: number, at: number, now: number): void {
    if (seq < this.next) {
      this.dups++;
      return;
    }
    this.gaps += seq - this.next;
    this.next = seq + 1;
    this.marks++;
    late.add((now - at) / 1000);
    if (at < firstSaidUs) firstSaidUs = at;
    lastSeenUs = now;
  }
}

class Samples {
  #values = new Float64Array(1 << 20);
  #count = 0;

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const longer = new Float64Array(2 * this.#count);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.#count++] = value;
  }

  take(): Float64Array {
    const taken = this.#values.slice(0, this.#count).sort();
    this.#count = 0;
    return taken;
  }
}

const late = new Samples();
let firstSaidUs = Number.POSITIVE_INFINITY;
let lastSeenUs = 0;
const followers: Follower[] = [];

answer({
  async follow({ targets, copies }: { targets: readonly Target[]; copies: number }) {
    for (const target of targets) {
      for (let i = 0; i < copies; i++) {
        const follower = new Follower();
        followers.push(follower);
        await follower.open(target);
      }
    }
  },
  expect({ from }: { from: number }) {
    late.take();
    firstSaidUs = Number.POSITIVE_INFINITY;
    lastSeenUs = nowUs();
    for (const follower of followers) follower.expect(from);
  },
  /** Resolves when all followers have the last mark, or after `idleMs` without data. */
  async finish({ last, idleMs }: { last: number; idleMs: number }): Promise<Seen> {
    const isDone = ({ next }: Follower) => next > last;
    while (!followers.every(isDone) && nowUs() - lastSeenUs < idleMs * 1000) await sleep(20);
    const sum = (of: (follower: Follower) => number) =>
      followers.reduce((total, follower) => total + of(follower), 0);
    const sorted = late.take();
    return {
      marks: sum(({ marks }) => marks),
      gaps: sum(({ gaps, next }) => gaps + Math.max(0, last + 1 - next)),
      dups: sum(({ dups }) => dups),
      complete: followers.filter(isDone).length,
      firstSaidUs,
      lastSeenUs,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
    };
  },
});
