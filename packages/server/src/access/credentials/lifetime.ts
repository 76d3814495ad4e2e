/**
 * The lifetime of a credential, by two clocks; it expires when either says so. Sleep stops the
 * steady clock, and setting the wall clock back would extend a lifetime.
 */

import type { Clock } from "../../base/clock.ts";

export interface Lifetime {
  /** By the wall clock: shown to people and stored. */
  readonly expiresAt: number;
  /** By this process's steady clock. */
  readonly deadline: number;
}

export function lastingUntil(clock: Clock, expiresAt: number): Lifetime {
  return { expiresAt, deadline: clock.steady() + expiresAt - clock.now() };
}

export function hasExpired(clock: Clock, lifetime: Lifetime | null): boolean {
  if (lifetime === null) return false;
  return clock.now() >= lifetime.expiresAt || clock.steady() >= lifetime.deadline;
}

/** The shorter of two lifetimes; null means unlimited. */
export function shorter(a: Lifetime | null, b: Lifetime | null): Lifetime | null {
  if (a === null || b === null) return a ?? b;
  return a.deadline <= b.deadline ? a : b;
}
