/** Tickets: an EventSource cannot send headers, so it authenticates once by a ticket in its URL. */

import type { Clock } from "../../base/clock.ts";
import type { Caller } from "./caller.ts";
import { hasExpired, type Lifetime, lastingUntil } from "./lifetime.ts";
import { findBySecret, newCredential, type Random } from "./secrets.ts";

/** Enough to open a connection; a ticket found in an access log later is worthless. */
const TICKET_LIFE = 30_000;
/** Limit per credential, above any real use; a new ticket then replaces the oldest. */
const MAX_TICKETS = 100;

interface Ticket {
  readonly hash: string;
  readonly caller: Caller;
  readonly lifetime: Lifetime;
}

export class Tickets {
  readonly #clock: Clock;
  readonly #random: Random;
  #open: readonly Ticket[] = [];

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  create(caller: Caller): { ticket: string; expiresAt: string } {
    const { secret, hash } = newCredential("ticket", this.#random);
    const lifetime = lastingUntil(this.#clock, this.#clock.now() + TICKET_LIFE);
    const valid = this.#open.filter((ticket) => !hasExpired(this.#clock, ticket.lifetime));
    const others = valid.filter((ticket) => ticket.caller.id !== caller.id);
    const own = valid.filter((ticket) => ticket.caller.id === caller.id).slice(1 - MAX_TICKETS);
    this.#open = [...others, ...own, { hash, caller, lifetime }];
    return { ticket: secret, expiresAt: new Date(lifetime.expiresAt).toISOString() };
  }

  /** The maker of the ticket; the caller must check that its credential is still valid. */
  use(secret: string): Caller | null {
    const ticket = findBySecret(this.#open, secret);
    if (ticket === null) return null;
    this.#open = this.#open.filter((other) => other !== ticket);
    return hasExpired(this.#clock, ticket.lifetime) ? null : ticket.caller;
  }
}
