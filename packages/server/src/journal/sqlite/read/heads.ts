/** Reads session records. Their numbers are the settled ones; the main thread adds newer ones. */

import type { DatabaseSync } from "node:sqlite";
import type { Needs, SessionId } from "@holdfast/protocol";
import type { Damage, ListQuery, Standing } from "../../journal.ts";
import { decodePlace, type ListPlace, needOfRank } from "../../list-cursor.ts";
import { isDamage } from "../file/sqlite-error.ts";

interface HeadRow {
  readonly row: number;
  readonly id: SessionId;
  readonly tenant: string;
  readonly title: string;
  readonly agent: string;
  readonly lifecycle: string;
  readonly status: string;
  readonly open: number;
  readonly due_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly need: number | null;
  readonly settled_seq: number;
  readonly settled_chain: number;
  readonly trimmed_seq: number;
  readonly damage: string | null;
  readonly readable_to: number | null;
}

export interface StoredSession {
  readonly row: number;
  readonly settledSeq: number;
  readonly trimmedSeq: number;
  readonly damage: { readonly reason: string; readonly readableTo: number | null } | null;
}

export class Heads {
  readonly #database: DatabaseSync;
  readonly #byId;
  readonly #place;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#byId = database.prepare(
      "select * from sessions where id = ?1 and (?2 is null or tenant = ?2)",
    );
    this.#place = database.prepare(
      "select row, settled_seq, trimmed_seq, damage, readable_to from sessions where id = ?",
    );
  }

  place(session: SessionId): StoredSession | null {
    const row = this.#place.get(session) as HeadRow | undefined;
    if (!row) return null;
    const { row: number, settled_seq, trimmed_seq } = row;
    return { row: number, settledSeq: settled_seq, trimmedSeq: trimmed_seq, damage: damageOf(row) };
  }

  standing(session: SessionId, tenant: string | null = null): Standing | null {
    const row = this.#byId.get(session, tenant) as HeadRow | undefined;
    return row ? standingOf(row) : null;
  }

  /**
   * Returns one row more than `limit`, so that the caller knows whether there is a next page. Two
   * queries, each along its index: first the sessions that need a person, then the rest by age.
   */
  list({ tenant, status, q, cursor, limit }: ListQuery): Standing[] {
    const place = cursor === undefined ? null : decodePlace(cursor);
    let filter = new Where();
    if (status !== undefined) filter = filter.and("status = ?", status);
    if (q !== undefined) filter = filter.and("instr(folded_title, ?) > 0", q.toLowerCase());
    const found = this.#needing(tenant, place, filter, limit + 1);
    if (tenant !== undefined) filter = filter.and("tenant = ?", tenant);
    let key = new Where();
    if (place?.rank === 0) key = key.and("(updated_at, id) < (?, ?)", place.updatedAt, place.id);
    const rest = this.#standings({
      key,
      filter: filter.and("ifnull(need, 0) = 0"),
      order: "updated_at desc, id desc",
      limit: limit + 1 - found.length,
    });
    return [...found, ...rest];
  }

  #needing(
    tenant: string | undefined,
    place: ListPlace | null,
    filter: Where,
    limit: number,
  ): Standing[] {
    if (place?.rank === 0) return [];
    let key = new Where().and("need > 0");
    if (tenant !== undefined) key = key.and("tenant = ?", tenant);
    if (place !== null) {
      const { rank, updatedAt, id } = place;
      key = key.and("(need, updated_at, id) < (?, ?, ?)", rank, updatedAt, id);
    }
    const order = "need desc, updated_at desc, id desc";
    return this.#standings({ key, filter, order, limit });
  }

  needs(tenant: string): Needs {
    const counts = this.#database
      .prepare(
        "select need, count(*) as n from sessions where tenant = ? and need > 0 group by need",
      )
      .all(tenant);
    const needs = { waiting: 0, interrupted: 0, failed: 0 };
    for (const { need, n } of counts) {
      const kind = needOfRank(Number(need));
      if (kind !== null) needs[kind] = Number(n);
    }
    return needs;
  }

  outdated(): Standing[] {
    return this.#standings({ key: new Where().and("need is null"), order: "row" });
  }

  opened(): Standing[] {
    return this.#standings({ key: new Where().and("open = 1"), order: "row" });
  }

  due(until: number, limit: number): Standing[] {
    return this.#standings({ key: new Where().and("due_at <= ?", until), order: "due_at", limit });
  }

  damages(): Damage[] {
    const found = this.#standings({ key: new Where().and("damage is not null"), order: "row" });
    return found.flatMap(({ damage }) => damage ?? []);
  }

  #standings(query: HeadQuery): Standing[] {
    const { key, filter = new Where(), order, limit = -1 } = query;
    const where = key.and(filter.sql, ...filter.values);
    try {
      const rows = this.#database
        .prepare(`select * from sessions where ${where.sql} order by ${order} limit ?`)
        .all(...where.values, limit);
      return (rows as unknown as HeadRow[]).map(standingOf);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return this.#standingsAround({ ...query, filter });
    }
  }

  /** Skips unreadable records, which the boot scan reported: order from the index, then each. */
  #standingsAround({ key, filter = new Where(), order, limit = -1 }: HeadQuery): Standing[] {
    const one = this.#database.prepare(`select * from sessions where row = ? and ${filter.sql}`);
    const found: Standing[] = [];
    for (const { row } of this.#database
      .prepare(`select row from sessions where ${key.sql} order by ${order}`)
      .iterate(...key.values)) {
      if (found.length === limit) break;
      try {
        const head = one.get(Number(row), ...filter.values);
        if (head) found.push(standingOf(head as unknown as HeadRow));
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    return found;
  }
}

interface HeadQuery {
  /** Conditions that an index can answer. */
  readonly key: Where;
  /** Conditions that only the record can answer. */
  readonly filter?: Where;
  readonly order: string;
  readonly limit?: number;
}

class Where {
  readonly sql: string;
  readonly values: readonly (string | number)[];

  constructor(sql = "true", values: readonly (string | number)[] = []) {
    this.sql = sql;
    this.values = values;
  }

  and(sql: string, ...values: (string | number)[]): Where {
    return new Where(`${this.sql} and ${sql}`, [...this.values, ...values]);
  }
}

function damageOf({ damage, readable_to }: HeadRow): StoredSession["damage"] {
  return damage === null ? null : { reason: damage, readableTo: readable_to };
}

function standingOf(row: HeadRow): Standing {
  const damage = damageOf(row);
  return {
    session: row.id,
    seq: row.settled_seq,
    chain: row.settled_chain,
    trimmed: row.trimmed_seq,
    head: {
      tenant: row.tenant,
      title: row.title,
      agentName: row.agent,
      lifecycle: row.lifecycle,
      status: row.status,
      open: row.open === 1,
      dueAt: row.due_at,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...(row.need === null ? {} : { need: needOfRank(row.need) }),
    },
    ...(damage && { damage: { session: row.id, ...damage } }),
  };
}
