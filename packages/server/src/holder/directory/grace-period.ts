/** Computes how long a holder stays without a host: longer while it has open work. */

export interface GracePeriods {
  readonly graceIdleMs: number;
  readonly graceOpenMs: number;
}

interface HostAbsence {
  readonly hostGoneAt: number;
  /** Time since when no request is open; null while one is. */
  readonly idleSince: number | null;
}

/** The end of the grace, on the same clock as the arguments. */
export function gracePeriodEnd(
  { graceIdleMs, graceOpenMs }: GracePeriods,
  absence: HostAbsence,
): number {
  const { hostGoneAt, idleSince } = absence;
  if (idleSince === null) return hostGoneAt + graceOpenMs;
  return Math.max(hostGoneAt, idleSince) + graceIdleMs;
}

/** The longest delay of setTimeout; a longer grace is checked again after it. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls `onOver` at the end of the grace. Its clock stops while the machine sleeps. */
export class GracePeriodTimer {
  readonly #periods: GracePeriods;
  readonly #onOver: () => void;
  #hostGoneAt: number | null = performance.now();
  #idleSince: number | null = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(periods: GracePeriods, onOver: () => void) {
    this.#periods = periods;
    this.#onOver = onOver;
  }

  update(hasHost: boolean, isOpen: boolean): void {
    this.#hostGoneAt = hasHost ? null : (this.#hostGoneAt ?? performance.now());
    this.#idleSince = isOpen ? null : (this.#idleSince ?? performance.now());
    this.stop();
    if (this.#hostGoneAt !== null) this.#wait(this.#hostGoneAt);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(hostGoneAt: number): void {
    const end = gracePeriodEnd(this.#periods, { hostGoneAt, idleSince: this.#idleSince });
    const left = Math.max(end - performance.now(), 0);
    this.#timer =
      left > LONGEST_TIMER
        ? setTimeout(() => this.#wait(hostGoneAt), LONGEST_TIMER)
        : setTimeout(this.#onOver, left);
  }
}
