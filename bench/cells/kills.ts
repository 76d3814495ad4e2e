/**
 * Kills the host repeatedly while an agent streams and sessions are created. In the end every
 * acknowledged session must exist, and each follower must have received each delta once and in
 * order.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@holdfast/client";
import type { Job, Metrics } from "../cell.ts";
import { endHolders } from "../peers/stream.ts";
import { Scanner } from "../streams/marks.ts";
import { Remote } from "../streams/remote.ts";

const DEADLINE_MS = 120_000;

interface Ready {
  readonly url: string;
  readonly token: string;
}

export async function run({ dir, options }: Job): Promise<Metrics> {
  const { kills = 20, rate = 1000, events = 50_000 } = options;
  const data = join(dir, "data");
  let host = await Remote.start("servers/holdfast.ts", { data });
  try {
    const { url, token } = await host.call<Ready>("ready");
    const port = Number(new URL(url).port);
    const { sessions } = await host.call<{ sessions: string[] }>("open", {
      count: 1,
      agent: "stub",
    });
    await host.call("emit", { session: 0, from: 1, count: events, rate });
    const follower = new KilledFollower(url, token, sessions[0] ?? "", events);
    const writer = new Writer(url, token);
    for (let i = 0; i < kills; i++) {
      await sleep(300 + Math.random() * 700);
      await host.end("SIGKILL");
      host = await Remote.start("servers/holdfast.ts", { data, port });
    }
    await Promise.race([follower.done, sleep(DEADLINE_MS)]);
    await writer.stop();
    const ackedLost = await writer.lost();
    const { marks, gaps, dups } = follower;
    return {
      kills,
      acked: writer.acked.length,
      ackedLost,
      marks,
      gaps,
      dups,
      lost: events - marks,
    };
  } finally {
    await host.end("SIGKILL");
    await endHolders(data);
  }
}

class KilledFollower {
  readonly done: Promise<void>;
  marks = 0;
  gaps = 0;
  dups = 0;
  #next = 1;

  constructor(url: string, token: string, session: string, events: number) {
    this.done = this.#follow(url, token, session, events);
  }

  async #follow(url: string, token: string, session: string, events: number): Promise<void> {
    const scanner = new Scanner();
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const following = createClient({ url, token }).follow({ session, after: 0, signal });
    for await (const step of following) {
      if (step.type !== "event" || step.event.kind !== "text.appended") continue;
      scanner.push(Buffer.from(step.event.text), (seq) => this.#see(seq));
      if (this.#next > events) return;
    }
  }

  #see(seq: number): void {
    if (seq < this.#next) {
      this.dups++;
      return;
    }
    this.gaps += seq - this.#next;
    this.#next = seq + 1;
    this.marks++;
  }
}

/** Creates sessions one after the other and records the acknowledged ones. */
class Writer {
  readonly acked: string[] = [];
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #writing: Promise<void>;
  #stopped = false;

  constructor(url: string, token: string) {
    this.#url = `${url}/api/sessions`;
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    this.#writing = this.#write();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#writing;
  }

  async lost(): Promise<number> {
    let lost = 0;
    for (const id of this.acked) {
      const found = await fetch(`${this.#url}/${id}`, { headers: this.#headers });
      if (!found.ok) lost++;
    }
    return lost;
  }

  async #write(): Promise<void> {
    const body = JSON.stringify({ agent: "stub" });
    while (!this.#stopped) {
      try {
        const headers = this.#headers;
        const response = await fetch(this.#url, { method: "POST", headers, body });
        const { session } = (await response.json()) as { session?: { id: string } };
        if (response.ok && session !== undefined) this.acked.push(session.id);
      } catch {
        // The host was killed before it acknowledged the session.
      }
      await sleep(10);
    }
  }
}
