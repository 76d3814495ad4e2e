/** The live list of sessions: read by REST, changed over the feed, unread by this device. */

import {
  type Needs,
  needKinds,
  type RouteReply,
  type SessionView,
  type Status,
} from "@holdfast/protocol";
import { Cell, type Watchable } from "./cell.ts";
import type { Client } from "./client.ts";
import { ApiError, TransportError } from "./errors.ts";
import type { Feed } from "./live/feed.ts";
import type { ListHeard, ListRow } from "./live/heard.ts";
import { untilAnswered } from "./live/pause.ts";
import { reuseEqualParts } from "./reuse-equal-parts.ts";
import type { Seen } from "./session/seen.ts";
import type { Clock } from "./timers.ts";

export interface SessionQuery {
  readonly q?: string | undefined;
  readonly status?: Status | undefined;
}

export interface ListedSession extends SessionView {
  /** A message, question or end is newer than this device's last visit, or it was never visited. */
  readonly unread: boolean;
}

export interface SessionsSnapshot {
  readonly phase: "loading" | "ready" | "refused";
  readonly refusal: { readonly code: string; readonly message: string } | null;
  /** Sessions that need a person first, in the host's order; the latest first within each kind. */
  readonly sessions: readonly ListedSession[];
  /** Counts of all sessions of this host that need a person, loaded or not. */
  readonly needs: Needs;
  readonly hasMore: boolean;
}

interface SessionsStoreOptions {
  readonly client: Client;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly seen: Seen;
  readonly query?: SessionQuery;
  readonly pageSize?: number;
}

type Page = RouteReply<"listSessions">;

interface Meanwhile {
  readonly rows: ListRow[];
  needs: Needs | null;
}

const PAGE = 50;
/** The host's largest page: the rest of a longer list is loaded on demand. */
const MOST = 200;

const noNeeds: Needs = { waiting: 0, interrupted: 0, failed: 0 };
const loading: SessionsSnapshot = {
  phase: "loading",
  refusal: null,
  sessions: [],
  hasMore: false,
  needs: noNeeds,
};

export class SessionsStore implements Watchable<SessionsSnapshot> {
  readonly getSnapshot: () => SessionsSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly #options: SessionsStoreOptions;
  readonly #query: SessionQuery;
  readonly #pageSize: number;
  readonly #cell: Cell<SessionsSnapshot>;
  #rows: readonly SessionView[] = [];
  #cursor: string | null = null;
  #needs = noNeeds;
  /** Changes that arrived during a read, whose page may be older. */
  #meanwhile: Meanwhile | null = null;
  /** Reads run one after the other; a read that has not begun serves all callers. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #isRefreshDue = false;
  #life = new AbortController();
  #stops: (() => void)[] = [];

  constructor(options: SessionsStoreOptions) {
    this.#options = options;
    this.#query = options.query ?? {};
    this.#pageSize = options.pageSize ?? PAGE;
    this.#cell = new Cell(loading, (isWatched) => (isWatched ? this.#start() : this.close()));
    this.getSnapshot = this.#cell.getSnapshot;
    this.subscribe = this.#cell.subscribe;
  }

  /** Loads the next page. False when there is none, or without an answer. */
  more(): Promise<boolean> {
    return this.#inTurn(() => this.#readMore());
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#life.abort();
  }

  #start(): void {
    const { feed, seen } = this.#options;
    this.#life = new AbortController();
    this.#stops.push(seen.onMark(() => this.#show()));
    this.#stops.push(feed.followList((heard) => this.#hear(heard)));
    this.#refresh();
  }

  #hear(heard: ListHeard): void {
    if (heard.type === "stale") this.#refresh();
    else if (heard.type === "needs") this.#count(heard.needs);
    else if (this.#meanwhile !== null) this.#meanwhile.rows.push(heard.row);
    else this.#take(heard.row);
  }

  #count(needs: Needs): void {
    this.#needs = needs;
    if (this.#meanwhile !== null) this.#meanwhile.needs = needs;
    else this.#show();
  }

  #refresh(): void {
    if (this.#isRefreshDue) return;
    this.#isRefreshDue = true;
    const { signal } = this.#life;
    void this.#inTurn(() => {
      this.#isRefreshDue = false;
      return this.#readAll(signal);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #readMore(): Promise<boolean> {
    if (this.#cursor === null) return false;
    try {
      const page = await this.#read(this.#pageSize, this.#cursor);
      const known = new Set(this.#rows.map(({ id }) => id));
      this.#rows = [...this.#rows, ...page.sessions.filter(({ id }) => !known.has(id))];
      this.#cursor = page.cursor;
      this.#show();
      return true;
    } catch (error) {
      if (error instanceof TransportError) return false;
      throw error;
    }
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    this.#meanwhile = { rows: [], needs: null };
    const limit = Math.min(MOST, Math.max(this.#pageSize, this.#rows.length));
    const page = await untilAnswered(this.#options, signal, () => this.#read(limit));
    if (page instanceof ApiError) {
      const refusal = { code: page.code, message: page.message };
      this.#cell.set({ ...this.getSnapshot(), phase: "refused", refusal });
    } else if (page !== null && !signal.aborted) this.#took(page);
    this.#meanwhile = null;
  }

  #took({ sessions, cursor, needs = noNeeds }: Page): void {
    const meanwhile = this.#meanwhile;
    this.#rows = sessions;
    this.#cursor = cursor;
    this.#needs = meanwhile?.needs ?? needs;
    this.#show();
    for (const row of meanwhile?.rows ?? []) this.#take(row);
  }

  #read(limit: number, cursor?: string): Promise<Page> {
    return this.#options.client.call("listSessions", { query: { ...this.#query, limit, cursor } });
  }

  #take(row: ListRow): void {
    const known = this.#rows.find(({ id }) => id === row.session);
    if (known === undefined) void this.#fetch(row.session);
    if (known === undefined || row.lastSeq < known.lastSeq) return;
    const { session: _id, ...shown } = row;
    this.#put({ ...known, ...shown });
  }

  /** Reads a session that is new, or was beyond the loaded pages. */
  async #fetch(session: string): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#life;
    const reply = await client
      .call("getSession", { params: { sessionId: session }, signal })
      // Deleted again, or unreachable: the next connection reads the list again.
      .catch(() => null);
    if (reply !== null && !signal.aborted) this.#put(reply.session);
  }

  #put(session: SessionView): void {
    const others = this.#rows.filter(({ id }) => id !== session.id);
    this.#rows = this.#isWanted(session) ? inOrder([...others, session]) : others;
    this.#show();
  }

  #isWanted({ status, title, deleted }: SessionView): boolean {
    const { q, status: wanted } = this.#query;
    if (deleted === true) return false;
    if (wanted !== undefined && status !== wanted) return false;
    return q === undefined || title.toLowerCase().includes(q.toLowerCase());
  }

  #show(): void {
    const last = this.#cell.getSnapshot();
    const before = new Map(last.sessions.map((one) => [one.id, one]));
    const sessions = this.#rows.map((row) => {
      const unread = this.#options.seen.isNew(row.id, row);
      return reuseEqualParts(before.get(row.id), { ...row, unread });
    });
    const hasMore = this.#cursor !== null;
    const needs = reuseEqualParts(last.needs, this.#needs);
    this.#cell.set({ phase: "ready", refusal: null, sessions, hasMore, needs });
  }
}

/** The host's order: by need, then the latest first, and at equal times the higher id. */
function inOrder(rows: readonly SessionView[]): readonly SessionView[] {
  const key = ({ lastActiveAt, id }: SessionView) => `${lastActiveAt} ${id}`;
  return rows.toSorted((a, b) => orderOf(a) - orderOf(b) || (key(a) < key(b) ? 1 : -1));
}

function orderOf({ need }: SessionView): number {
  return need == null ? needKinds.length : needKinds.indexOf(need.kind);
}
