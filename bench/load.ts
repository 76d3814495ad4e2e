/**
 * Closed-loop load: each session has one event in flight and sends the next when it is durable.
 * Latency therefore follows throughput, and both show how well a store groups its commits.
 */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "./stats.ts";

/**
 * A finer resolution would cost a visible share of the CPU in the workload with one session, which
 * mostly waits.
 */
const LOOP_RESOLUTION_MS = 5;
const FIRST_SAMPLES = 1_000_000;

export interface Measured {
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly cpuPerMillion: number;
  readonly ackP50: number;
  readonly ackP99: number;
  readonly loopP50: number;
  readonly loopP99: number;
}

export class Load {
  #samples = new Float64Array(FIRST_SAMPLES);
  #count = 0;
  #measuring = false;
  #stopped = false;
  readonly #loops: Promise<void>[];

  constructor(sessions: number, send: (session: number) => Promise<unknown>) {
    this.#loops = Array.from({ length: sessions }, (_, i) => this.#loop(i, send));
  }

  /** Measures one window of the running load; CPU covers all threads of this process. */
  async measure(seconds: number): Promise<Measured> {
    const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
    this.#count = 0;
    this.#measuring = true;
    delay.enable();
    const cpu = process.cpuUsage();
    const start = performance.now();
    await sleep(seconds * 1000);
    const elapsed = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    this.#measuring = false;
    const events = this.#count;
    const acks = this.#samples.subarray(0, events).toSorted();
    return {
      events,
      eventsPerSecond: events / elapsed,
      cpuPerMillion: (user + system) / events,
      ackP50: percentile(acks, 0.5),
      ackP99: percentile(acks, 0.99),
      loopP50: delay.percentile(50) / 1e6,
      loopP99: delay.percentile(99) / 1e6,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  async #loop(session: number, send: (session: number) => Promise<unknown>): Promise<void> {
    while (!this.#stopped) {
      const sent = performance.now();
      await send(session);
      if (this.#measuring) this.#record(performance.now() - sent);
    }
  }

  #record(ms: number): void {
    if (this.#count === this.#samples.length) {
      const longer = new Float64Array(2 * this.#count);
      longer.set(this.#samples);
      this.#samples = longer;
    }
    this.#samples[this.#count++] = ms;
  }
}
