/** Delays the reconnect of a session whose link breaks repeatedly. */

import type { SessionId } from "@holdfast/protocol";
import type { Clock } from "../base/clock.ts";

/** Milliseconds within which broken links of a session count as one series. */
const LOSS_MEMORY = 60_000;

export class ReconnectDelay {
  readonly #clock: Clock;
  readonly #losses = new Map<SessionId, { readonly at: number; readonly times: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at once after the first loss of a series, later after each further one. */
  async wait(session: SessionId): Promise<void> {
    const now = this.#clock.steady();
    const { at, times } = this.#losses.get(session) ?? { at: 0, times: 0 };
    const again = now - at < LOSS_MEMORY ? times + 1 : 0;
    this.#losses.set(session, { at: now, times: again });
    if (this.#losses.size > 1000) this.#losses.clear();
    if (again === 0) return;
    const ms = Math.min(100 * 2 ** again, LOSS_MEMORY / 2);
    await new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
  }
}
