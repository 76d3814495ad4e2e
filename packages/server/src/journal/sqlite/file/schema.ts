/**
 * The tables, and the way of an event through them.
 *
 * A group commit writes one `log` row: the event lines of all its batches, joined, with an index
 * that names their sessions. A session's lines in the log are its tail. Later the tail is settled:
 * written into `pages` of about 16 KB, after which the log row can be deleted. So a commit touches
 * a few database pages however many sessions it serves, and a replay reads one session's bytes in
 * order. `sessions.tail` says that events after `settled_seq` exist; it is written with the first
 * of them, so a lost log row shows as a missing tail.
 *
 * Every crc covers the content beside it, because SQLite itself does not notice a flipped bit.
 */

export const schemaVersion = 2;

/** The page of `meta`: the first table's page, after the header's and the pointer map's. */
export const metaPage = 3;

/** "hold": lets `file` and Holdfast tell a journal from any other SQLite file. */
export const applicationId = 0x686f6c64;

const first = `
create table meta (
  only integer primary key check (only = 1),
  epoch integer not null,
  -- Counts unsynced commits, so that the write-ahead log shows which ones they were (wal.ts).
  settlements integer not null
) strict;

create table sessions (
  row integer primary key autoincrement,
  id text not null unique,
  tenant text not null,
  title text not null,
  folded_title text not null,
  agent text not null,
  lifecycle text not null,
  status text not null,
  open integer not null,
  due_at integer,
  created_at integer not null,
  updated_at integer not null,
  head_crc integer not null,
  settled_seq integer not null,
  settled_chain integer not null,
  trimmed_seq integer not null,
  facts_sum integer not null,
  tail integer not null,
  damage text,
  readable_to integer,
  state_crc integer not null
) strict;
create index sessions_by_age on sessions (updated_at, id);
create index sessions_open on sessions (row) where open = 1;
create index sessions_due on sessions (due_at) where due_at is not null;
create index sessions_damaged on sessions (row) where damage is not null;

create table log (
  id integer primary key,
  entries blob not null,
  entries_crc integer not null,
  body_crc integer not null,
  body blob not null
) strict;

create table pages (
  id integer primary key,
  session integer not null,
  first_seq integer not null,
  count integer not null,
  chain integer not null,
  crc integer not null,
  bytes blob not null
) strict;
create unique index pages_by_seq on pages (session, first_seq);

create table facts (
  session integer not null,
  name text not null,
  key text not null,
  seq integer not null,
  primary key (session, name, key)
) strict, without rowid;
create index facts_that_name on facts (key) where name in ('run', 'created');

-- A rowid table, so that the cursors of holders started together share a database page.
create table cursors (
  id integer primary key,
  session integer not null,
  holder text not null,
  n integer not null,
  crc integer not null,
  unique (session, holder)
) strict;

create table bases (
  session integer primary key,
  seq integer not null,
  chain integer not null,
  crc integer not null,
  state text not null,
  transcript text not null
) strict;

-- Deletions under way, so that a crash in the middle of one is finished by the next life.
create table erasures (
  session integer primary key,
  up_to integer
) strict;
`;

/**
 * The additions of each later version, by its number. New and migrated files run the same steps, so
 * that both have the same definitions and the same root pages.
 */
const steps: Readonly<Record<number, string>> = {
  // The session's need as its rank in a list (list-cursor.ts); null in a record of an older
  // version.
  2: `
alter table sessions add column need integer;
create index sessions_needing on sessions (tenant, need, updated_at, id) where need > 0;
create index sessions_outdated on sessions (row) where need is null;
`,
};

export function schemaStep(to: number): string {
  return steps[to] ?? "";
}

export function schemaAt(version = schemaVersion): string {
  const later = Array.from({ length: version - 1 }, (_, i) => schemaStep(i + 2));
  return [first, ...later].join("");
}
