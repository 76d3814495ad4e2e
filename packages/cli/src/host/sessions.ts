/** Finds sessions by the names that people type: an id, its beginning or end, a title, or `latest`. */

import type { Client } from "@holdfast/client";
import { isId, type SessionView, type Status } from "@holdfast/protocol";
import { CliError, usage } from "../exit.ts";
import { hint } from "../hint.ts";
import { fit } from "../output/width.ts";

const PAGE = 200;
/** The most pages to search; a session beyond them must be named by its whole id. */
const MAX_PAGES = 25;

/** Yields sessions that need a person first, then the rest, each group latest first. */
export async function* sessionsOf(
  client: Client,
  filter: { readonly status?: Status | undefined; readonly q?: string | undefined } = {},
): AsyncGenerator<SessionView, void, void> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { ...filter, cursor, limit: PAGE };
    const reply = await client.call("listSessions", { query });
    yield* reply.sessions;
    if (reply.cursor === null) return;
    cursor = reply.cursor;
  }
}

export async function findSession(client: Client, word: string): Promise<string> {
  if (isId("session", word)) return word;
  if (word === "latest") {
    const latest = await latestOf(client);
    if (latest !== null) return latest;
    throw new CliError("not_found", `No session is open. Start one with: ${hint("run", '"…"')}`);
  }
  const all: SessionView[] = [];
  for await (const session of sessionsOf(client)) all.push(session);
  return pick(all, word, "session", titleOf).id;
}

/** The session with the latest activity: those that need no person are sorted by it. */
async function latestOf(client: Client): Promise<string | null> {
  let latest: SessionView | null = null;
  for await (const session of sessionsOf(client)) {
    if (session.lifecycle === "ended") continue;
    if (latest === null || session.lastActiveAt > latest.lastActiveAt) latest = session;
    if (session.need === null) break;
  }
  return latest?.id ?? null;
}

/** `latest` for an answer. Several are refused: the person may not have read the question. */
export async function waitingSession(client: Client): Promise<string> {
  const waiting: SessionView[] = [];
  for await (const session of sessionsOf(client, { status: "waiting" })) {
    if (session.need?.kind === "waiting") waiting.push(session);
  }
  const [only, ...others] = waiting;
  if (only === undefined) throw new CliError("nothing_to_do", "No session waits for an answer.");
  if (others.length === 0) return only.id;
  throw usage(`Several sessions wait for an answer. Name one: ${named(waiting, titleOf)}.`);
}

const MAX_NAMED = 5;
const TITLE = 24;
/** The fewest characters of an id that name it: fewer are often a title, or end another id. */
const LEAST = 6;

/** Finds an item by its id, by the beginning or end of it, or by its title; two are refused. */
export function pick<T extends { readonly id: string }>(
  items: readonly T[],
  word: string,
  what: string,
  title: (item: T) => string,
): T {
  const isPart = (id: string) =>
    word.length >= LEAST && [id, bare(id)].some((it) => it.startsWith(word) || it.endsWith(word));
  const exact = items.filter(({ id }) => id === word);
  const fits = items.filter((item) => isPart(item.id) || title(item) === word);
  const [first, ...others] = exact.length > 0 ? exact : fits;
  if (first === undefined) throw new CliError("not_found", unknownWords(what, word));
  if (others.length === 0) return first;
  throw usage(`"${word}" matches several ${what}s. Name one: ${named(fits, title)}.`);
}

function unknownWords(what: string, word: string): string {
  const said = `There is no ${what} "${word}".`;
  if (word.length < LEAST) return `${said} Of an id, give at least ${LEAST} characters.`;
  return what === "session" ? `${said} A deleted session is named by its whole id.` : said;
}

/** Whole ids, because a short one may also be the title of another item. */
function named<T extends { readonly id: string }>(all: readonly T[], title: (item: T) => string) {
  const names = all.slice(0, MAX_NAMED).map((item) => `${item.id} (${fit(title(item), TITLE)})`);
  const more = all.length - names.length;
  return `${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

const titleOf = ({ title }: SessionView): string => title;

const bare = (id: string): string => id.slice(id.indexOf("_") + 1);

/** The end of an id, which is random; ids made within a minute begin with the same digits. */
export const shortId = (id: string): string => bare(id).slice(-SHORT);

/** 32 random bits: two of ten thousand sessions share them once in a hundred hosts. */
const SHORT = 8;
