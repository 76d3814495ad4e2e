/** Measures a host under load: the response time of `/health`, and its memory. */

import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { Figures } from "./figures.ts";

const EVERY = 20;

export interface HealthTimes {
  readonly taken: Figures;
  /** `taken` without the time for which the host or the caller waited for a processor. */
  readonly own: Figures;
}

export class Health {
  readonly #url: string;
  readonly #host: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #taken: number[] = [];
  readonly #own: number[] = [];
  readonly #asking: Promise<void>;
  #over = false;

  constructor({ url, hostPid }: { readonly url: string; readonly hostPid: number }) {
    this.#url = url;
    this.#host = hostPid;
    this.#asking = this.#ask();
    this.#asking.catch(() => undefined);
  }

  /** Ends the measurement; rejects when the host never answered. */
  async end(): Promise<HealthTimes> {
    this.#over = true;
    await this.#asking;
    this.#agent.destroy();
    return { taken: new Figures(this.#taken), own: new Figures(this.#own) };
  }

  async #ask(): Promise<void> {
    while (!this.#over) {
      const [host, caller] = [waited(this.#host), waited(process.pid)];
      const from = performance.now();
      await this.#once();
      const taken = performance.now() - from;
      // The two may wait at the same time, so only the longer wait counts.
      const queued = Math.max(waited(this.#host) - host, waited(process.pid) - caller);
      this.#taken.push(taken);
      this.#own.push(Math.max(0, taken - queued));
      await new Promise((resolve) => setTimeout(resolve, EVERY));
    }
  }

  #once(): Promise<void> {
    return new Promise((resolve, reject) => {
      get(`${this.#url}/health`, { agent: this.#agent }, (answer) => {
        answer.resume().on("end", resolve).on("error", reject);
      }).on("error", reject);
    });
  }
}

/** Milliseconds for which a process's main thread was ready to run and had no processor; 0 without `/proc`. */
function waited(pid: number): number {
  try {
    const [, delay] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
    return Number(delay) / 1e6;
  } catch {
    return 0;
  }
}

/** Peak memory of a process in bytes; 0 when it is gone. */
export function peakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
