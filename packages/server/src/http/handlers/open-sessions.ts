/** Limits open sessions per tenant and host; counted once from the journal, then by events. */

import { HostError, type SessionId } from "@holdfast/protocol";
import type { HostLimits } from "../../access/limits/host-limits.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Executed } from "../../session/owner.ts";
import type { HandlerDeps } from "../request/deps.ts";

type Most = Pick<HostLimits, "sessions" | "sessionsPerTenant">;

const PAGE = 1000;

export class OpenSessions {
  readonly #journal: Journal;
  readonly #most: Most;
  readonly #open = new Map<SessionId, string>();
  /** Sessions that ended during the first read, whose pages may be older than that; null afterwards. */
  #ended: Set<SessionId> | null = new Set();
  #reading: Promise<void> | null = null;

  constructor(
    { sessions, journal }: Pick<HandlerDeps["host"], "sessions" | "journal">,
    most: Most,
  ) {
    this.#journal = journal;
    this.#most = most;
    sessions.onDurable((session, executed) => this.#heard(session, executed));
  }

  /** Creates a session, or refuses it. Creations in progress count as well. */
  async add<T>(session: SessionId, tenant: string, make: () => Promise<T>): Promise<T> {
    this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = null;
      throw error;
    });
    await this.#reading;
    const refused = this.#refuseMore(tenant);
    if (refused !== null) throw refused;
    this.#open.set(session, tenant);
    try {
      return await make();
    } catch (error) {
      this.#open.delete(session);
      throw error;
    }
  }

  #refuseMore(tenant: string): HostError | null {
    const { sessions, sessionsPerTenant } = this.#most;
    const own = [...this.#open.values()].filter((other) => other === tenant).length;
    if (own >= sessionsPerTenant) {
      const said = `There are already ${sessionsPerTenant} open sessions. End a session first.`;
      return new HostError("limit_reached", said);
    }
    if (this.#open.size < sessions) return null;
    return new HostError(
      "limit_reached",
      "This host has reached its limit of open sessions. End a session first.",
    );
  }

  async #read(): Promise<void> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
      const page = await this.#journal.list(query);
      for (const { session, head } of page.sessions) {
        if (head.lifecycle === "ended" || this.#ended?.has(session)) continue;
        this.#open.set(session, head.tenant);
      }
      cursor = page.cursor;
    }
    this.#ended = null;
  }

  #heard(session: SessionId, { state, events }: Executed): void {
    for (const { kind } of events) {
      if (kind === "session.created") this.#open.set(session, state.tenant);
      if (kind !== "session.ended") continue;
      this.#open.delete(session);
      this.#ended?.add(session);
    }
  }
}
