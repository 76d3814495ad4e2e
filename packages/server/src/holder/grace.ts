/** How long a holder stays when no host is there: longer while something is open that one could finish. */

export interface Graces {
  readonly graceIdleMs: number;
  readonly graceOpenMs: number;
}

export interface Alone {
  /** Since when no host is connected. */
  readonly hostGoneAt: number;
  /** Since when nothing is asked and nothing pending; null while something is. */
  readonly idleSince: number | null;
}

/** When it ends, on the clock of its arguments. */
export function graceEnd({ graceIdleMs, graceOpenMs }: Graces, alone: Alone): number {
  const { hostGoneAt, idleSince } = alone;
  if (idleSince === null) return hostGoneAt + graceOpenMs;
  return Math.max(hostGoneAt, idleSince) + graceIdleMs;
}

/** setTimeout takes no more; a grace beyond it is looked at again. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Watches over the grace, on a clock that stands still while the machine sleeps. */
export class GraceTimer {
  readonly #graces: Graces;
  readonly #onOver: () => void;
  #hostGoneAt: number | null = performance.now();
  #idleSince: number | null = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(graces: Graces, onOver: () => void) {
    this.#graces = graces;
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
    const end = graceEnd(this.#graces, { hostGoneAt, idleSince: this.#idleSince });
    const left = Math.max(end - performance.now(), 0);
    this.#timer =
      left > LONGEST_TIMER
        ? setTimeout(() => this.#wait(hostGoneAt), LONGEST_TIMER)
        : setTimeout(this.#onOver, left);
  }
}
