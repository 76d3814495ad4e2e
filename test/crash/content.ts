/** All content of a journal about its sessions, for comparison with its earlier content. */

import { createHash } from "node:crypto";
import { HostError, type SessionId } from "@holdfast/protocol";
import type { Journal, OnceFact } from "../../packages/server/src/journal/journal.ts";
import { onceFacts } from "../../packages/server/src/session/facts.ts";

export interface Content {
  readonly text: string;
  readonly trimmed: number;
  readonly head: string;
  readonly base: string | null;
  /** Each once-only fact in the events, with the seq that the store has for it. */
  readonly facts: Readonly<Record<string, number | null>>;
  /** Code of the error that ended the reading. */
  readonly error: string | null;
}

type Readable = Pick<Journal, "list" | "standing" | "base" | "read" | "fact" | "damages">;

export interface Contents {
  readonly sessions: ReadonlyMap<string, Content>;
  readonly damages: readonly { readonly session: string | null; readonly reason: string }[];
}

export async function contentsOf(
  journal: Readable,
  known: readonly string[] = [],
): Promise<Contents> {
  const ids = new Set<string>(known);
  for (const id of await listed(journal)) ids.add(id);
  const sessions = new Map<string, Content>();
  for (const id of ids) {
    const content = await contentOf(journal, id as SessionId);
    if (content !== null) sessions.set(id, content);
  }
  // Asked last: reading discovers some of the damage.
  return { sessions, damages: await journal.damages() };
}

async function listed(journal: Readable): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await journal.list({ limit: 200, ...(cursor && { cursor }) });
    ids.push(...page.sessions.map(({ session }) => session));
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

async function contentOf(journal: Readable, session: SessionId): Promise<Content | null> {
  const content = { text: "", trimmed: 0, head: "", base: null as string | null, facts: {} };
  try {
    const standing = await journal.standing(session);
    if (standing === null) return null;
    content.trimmed = standing.trimmed;
    content.head = JSON.stringify(standing.head);
    const base = await journal.base(session);
    content.base = base && createHash("sha256").update(JSON.stringify(base)).digest("hex");
    for (let after = standing.trimmed; after < standing.seq; ) {
      const slice = await journal.read(session, after, 1000);
      if (slice === null) break;
      content.text += Buffer.from(slice.bytes).toString();
      after = slice.firstSeq + slice.count - 1;
    }
    content.facts = await factsOf(journal, session, content.text);
    return { ...content, error: standing.damage === undefined ? null : "session_damaged" };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { ...content, error: error.code };
  }
}

async function factsOf(journal: Readable, session: SessionId, text: string) {
  const facts: Record<string, number | null> = {};
  for (const line of text.split("\n")) {
    for (const fact of factsIn(line)) {
      facts[`${fact.name} ${fact.key}`] = await journal.fact(session, fact);
    }
  }
  return facts;
}

/**
 * The once-only facts in a line. A line that is not JSON has none; a comparison of the text shows
 * its damage.
 */
function factsIn(line: string): OnceFact[] {
  try {
    return line === "" ? [] : onceFacts([JSON.parse(line)]);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
