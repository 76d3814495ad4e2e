/** How a host feels while something goes on: how long `/health` takes, and how much memory it needs. */

import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { Figures } from "./figures.ts";

const EVERY = 20;

export class Health {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #times: number[] = [];
  readonly #asking: Promise<void>;
  #over = false;

  constructor(url: string) {
    this.#url = url;
    this.#asking = this.#ask();
    this.#asking.catch(() => undefined);
  }

  /** Rejects when it did not answer once. */
  async end(): Promise<Figures> {
    this.#over = true;
    await this.#asking;
    this.#agent.destroy();
    return new Figures(this.#times);
  }

  async #ask(): Promise<void> {
    while (!this.#over) {
      const from = performance.now();
      await this.#once();
      this.#times.push(performance.now() - from);
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

/** The most memory a process ever had, in bytes; 0 when there is none. */
export function peakMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
