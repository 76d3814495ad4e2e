/**
 * Limits live agents per tenant and per host; further launches wait. A free place goes to the
 * tenant with the fewest live agents, and within the tenant to the earliest request.
 */

import { totalmem } from "node:os";
import type { LaunchScope, SessionId } from "@holdfast/protocol";

export interface LiveLimits {
  /** Agents that may be live at once on this host, idle and frozen ones included. */
  readonly liveAgents: number;
  readonly liveAgentsPerTenant: number;
}

/** Memory per agent. A coding agent takes 60 to 400 MB, and other programs need memory too. */
const MEMORY_EACH = 256 * 1024 * 1024;

export const liveLimits: LiveLimits = limitsFor(totalmem());

export function limitsFor(memory: number): LiveLimits {
  const liveAgents = Math.min(256, Math.max(8, Math.floor(memory / MEMORY_EACH)));
  return { liveAgents, liveAgentsPerTenant: Math.ceil(liveAgents / 2) };
}

export interface Wanted {
  readonly session: SessionId;
  /** The holder whose exit frees the place; the session's earlier holder may exit later. */
  readonly holderId: string;
  readonly tenant: string;
  /** Wall time of the request, so that the order survives a restart of the host. */
  readonly since: number;
}

interface Full {
  readonly scope: LaunchScope;
  readonly live: number;
  readonly limit: number;
}

type Place = Pick<Wanted, "session" | "tenant">;

interface Waiting extends Wanted {
  begin(): void;
}

export class LaunchQueue {
  readonly #limits: LiveLimits;
  /** Live agents and agents about to be launched, by holder. */
  readonly #live = new Map<string, Place>();
  readonly #waiting: Waiting[] = [];

  constructor(limits: LiveLimits) {
    this.#limits = limits;
  }

  get live(): readonly Place[] {
    return [...this.#live.values()];
  }

  /** Waiting launches in the order of admission. */
  get waiting(): readonly Wanted[] {
    return this.#waiting.toSorted((a, b) => this.#count(a) - this.#count(b) || a.since - b.since);
  }

  /** Counts an agent that is already live, also beyond the limit. */
  occupy(holderId: string, place: Place): void {
    this.#live.set(holderId, place);
  }

  free(holderId: string): void {
    if (this.#live.delete(holderId)) this.#admit();
  }

  fullFor(tenant: string): Full | null {
    const { liveAgents, liveAgentsPerTenant } = this.#limits;
    const own = this.#count({ tenant });
    if (own >= liveAgentsPerTenant) {
      return { scope: "tenant", live: own, limit: liveAgentsPerTenant };
    }
    const live = this.#live.size;
    return live >= liveAgents ? { scope: "host", live, limit: liveAgents } : null;
  }

  /** Resolves when the session has its place; rejects when the launch is stopped first. */
  wait(wanted: Wanted, stopped: AbortSignal): Promise<void> {
    stopped.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      reject(stopped.reason);
    };
    const begin = () => {
      stopped.removeEventListener("abort", leave);
      resolve();
    };
    const waiting = { ...wanted, begin };
    stopped.addEventListener("abort", leave, { once: true });
    this.#waiting.push(waiting);
    this.#admit();
    return promise;
  }

  #admit(): void {
    for (;;) {
      const next = this.waiting.find(({ tenant }) => this.fullFor(tenant) === null);
      if (next === undefined) return;
      const at = this.#waiting.findIndex(({ holderId }) => holderId === next.holderId);
      const [admitted] = this.#waiting.splice(at, 1);
      // A session has one agent, so an earlier holder whose exit was not reported loses its place.
      for (const [holderId, { session }] of this.#live) {
        if (session === next.session) this.#live.delete(holderId);
      }
      this.#live.set(next.holderId, next);
      admitted?.begin();
    }
  }

  #count({ tenant }: { readonly tenant: string }): number {
    let count = 0;
    for (const place of this.#live.values()) if (place.tenant === tenant) count++;
    return count;
  }
}
