/**
 * How long a credential lasts, by both clocks. It is over when either says so: a machine that
 * sleeps stops the steady one, and one whose clock is set back would make the other wait.
 */

import type { Clock } from "../clock.ts";

export interface Lifetime {
  /** By the wall clock: what people read and what is written down. */
  readonly expiresAt: number;
  /** By the steady clock of this life. */
  readonly deadline: number;
}

export function lastingUntil(clock: Clock, expiresAt: number): Lifetime {
  return { expiresAt, deadline: clock.steady() + expiresAt - clock.now() };
}

export function isOver(clock: Clock, lifetime: Lifetime | null): boolean {
  if (lifetime === null) return false;
  return clock.now() >= lifetime.expiresAt || clock.steady() >= lifetime.deadline;
}

/** The shorter of two; null lasts for ever. */
export function shorter(a: Lifetime | null, b: Lifetime | null): Lifetime | null {
  if (a === null || b === null) return a ?? b;
  return a.deadline <= b.deadline ? a : b;
}
