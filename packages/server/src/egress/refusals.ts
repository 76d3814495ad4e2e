/** Refusals of the egress: their words inside the sandbox, and one report for many of a kind. */

import type { Clock } from "../base/clock.ts";
import { type Endpoint, endpointText } from "./endpoint.ts";

const reasons = {
  no_network: "This session has no network. Work without it, or ask the user to allow this host.",
  not_allowed:
    "This host is not on the session's list. Work without it, or ask the user to allow it for this session.",
  private_address:
    "It leads to this machine or a private network. Such an address must be allowed by itself, for example 127.0.0.1:5432; ask the user.",
  control_api: "It leads to the service that runs this session. That cannot be allowed.",
  wrong_name:
    "The TLS connection asks for another server name than the CONNECT request. Use one name for both.",
  hidden_name:
    "The TLS connection does not say which server it wants. Send its name (SNI), without encrypted client hello.",
  bad_tls: "The TLS connection does not begin with a well-formed client hello.",
} as const;

export type RefusalReason = keyof typeof reasons;

export interface NetworkRefusal extends Pick<Endpoint, "host" | "port"> {
  readonly reason: RefusalReason;
  /** Refusals that this report stands for: earlier ones of the same kind were counted, not reported. */
  readonly times: number;
}

/** Thrown where an address is refused after its name was resolved. */
export class RefusedEndpoint extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(reason);
    this.reason = reason;
  }
}

const SSH_PORT = 22;

export function refusalText(endpoint: Endpoint, reason: RefusalReason): string {
  const ssh =
    endpoint.port === SSH_PORT
      ? " A remote over ssh is fetched outside the sandbox, by the user: ask for that, or use its https address."
      : "";
  return `Holdfast refused the connection to ${endpointText(endpoint)}. ${reasons[reason]}${ssh}\n`;
}

/** A kind of refusal is reported again after this time. */
const REPORT_EVERY = 60 * 60 * 1000;
/** More kinds than a person reads in that time; those beyond are counted only. */
const MOST_KINDS = 100;

export class Refusals {
  readonly #clock: Clock;
  readonly #onRefused: (refusal: NetworkRefusal) => void;
  readonly #kinds = new Map<string, { reported: number; repeats: number }>();
  count = 0;

  constructor(clock: Clock, onRefused: (refusal: NetworkRefusal) => void) {
    this.#clock = clock;
    this.#onRefused = onRefused;
  }

  add(endpoint: Endpoint, reason: RefusalReason): void {
    this.count += 1;
    const { host, port } = endpoint;
    const key = `${reason} ${endpointText(endpoint)}`;
    const now = this.#clock.steady();
    const kind = this.#kinds.get(key);
    if (kind !== undefined && now - kind.reported < REPORT_EVERY) {
      kind.repeats += 1;
      return;
    }
    if (kind === undefined && !this.#hasRoom(now)) return;
    this.#kinds.set(key, { reported: now, repeats: 0 });
    this.#onRefused({ host, port, reason, times: 1 + (kind?.repeats ?? 0) });
  }

  /** A new policy makes every later refusal news. */
  forget(): void {
    this.#kinds.clear();
  }

  #hasRoom(now: number): boolean {
    if (this.#kinds.size < MOST_KINDS) return true;
    for (const [key, { reported }] of this.#kinds) {
      if (now - reported >= REPORT_EVERY) this.#kinds.delete(key);
    }
    return this.#kinds.size < MOST_KINDS;
  }
}
