/** Statistics of many measurements. */

export class Figures {
  readonly #sorted: number[];

  constructor(values: readonly number[]) {
    this.#sorted = values.toSorted((a, b) => a - b);
  }

  get count(): number {
    return this.#sorted.length;
  }

  /** Nearest-rank percentile; with few values, the largest. */
  percentile(percent: number): number {
    const rank = Math.ceil((percent / 100) * this.#sorted.length);
    return this.#sorted[Math.max(0, rank - 1)] ?? 0;
  }

  toString(): string {
    const [p50, p99, most] = [50, 99, 100].map((percent) => Math.round(this.percentile(percent)));
    return `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms of ${this.count}`;
  }
}
