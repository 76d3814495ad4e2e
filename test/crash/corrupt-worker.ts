/**
 * Damages copies of a prepared store and opens the product on them. It runs in its own process,
 * because a host may exit when it meets damage while writing, and the suite must see that.
 */

import { existsSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { HostError, type SessionId } from "@holdfast/protocol";
import { wireHost } from "../../packages/server/src/host.ts";
import { openSqliteJournal } from "../../packages/server/src/journal/sqlite/open.ts";
import { repairSqliteJournal } from "../../packages/server/src/journal/sqlite/repair/repair.ts";
import { crashAgent } from "./agents.ts";
import { openBareJournal } from "./bare-journal.ts";
import { type Content, type Contents, contentsOf } from "./content.ts";
import { commitEnds, copyStore, type Damage, damage, FRAME, WAL } from "./damage.ts";
import { onLines } from "./socket.ts";

export interface Trial {
  readonly store: string;
  readonly dir: string;
  /** Null when the directory already exists, from a trial whose process died. */
  readonly damage: Damage | null;
  readonly open: "store" | "host";
  readonly repair: boolean;
}

export interface Tried {
  readonly outcome: "same" | "named" | "refused";
  readonly problems: readonly string[];
}

interface Reference {
  readonly whole: Contents;
  /** Content without the last commit: a tear in it looks like a commit that never happened. */
  readonly torn: Contents | null;
  /** Offset of the commit frame before the last group. If it is wiped, both groups look torn. */
  readonly joint: { readonly at: number; readonly torn: Contents } | null;
}

const references = new Map<string, Reference>();

onLines(process.stdin, (line) => void answer(JSON.parse(line) as Trial));

async function answer(trial: Trial): Promise<void> {
  let tried: Tried;
  try {
    tried = await attempt(trial);
  } catch (error) {
    tried = { outcome: "refused", problems: [(error as Error).stack ?? String(error)] };
  }
  process.stdout.write(`${JSON.stringify(tried)}\n`);
}

async function attempt(trial: Trial): Promise<Tried> {
  const reference = await referenceOf(trial.store);
  const { whole } = reference;
  if (trial.damage !== null) {
    copyStore(trial.store, trial.dir);
    damage(trial.dir, trial.damage);
  }
  const known = [...whole.sessions.keys()];
  const found = await openedContents(trial, known);
  const problems = found === null ? [] : againstBoth(trial, reference, found);
  const isNamed =
    found === null ||
    found.damages.length > 0 ||
    [...found.sessions.values()].some(({ error }) => error !== null);
  if (isNamed && trial.repair) problems.push(...(await repaired(trial.dir, whole, known)));
  rmSync(trial.dir, { recursive: true, force: true });
  return { outcome: found === null ? "refused" : isNamed ? "named" : "same", problems };
}

function againstBoth(trial: Trial, { whole, torn, joint }: Reference, found: Contents): string[] {
  const isHost = trial.open === "host";
  const problems = differences(whole, found, isHost);
  if (problems.length === 0 || found.damages.length > 0) return problems;
  const allowed = [torn, joint !== null && isWiped(trial.damage, joint.at) ? joint.torn : null];
  const isAllowed = allowed.some(
    (contents) => contents !== null && differences(contents, found, isHost).length === 0,
  );
  return isAllowed ? [] : problems;
}

function isWiped(damage: Damage | null, frame: number): boolean {
  const isWiping = damage?.kind === "zero" || damage?.kind === "garble";
  return isWiping && damage.file === WAL && damage.at === frame;
}

async function referenceOf(store: string): Promise<Reference> {
  const known = references.get(store);
  if (known !== undefined) return known;
  const wal = existsSync(join(store, WAL)) ? readFileSync(join(store, WAL)) : null;
  const [beforeTwo, beforeLast] = wal === null ? [] : commitEnds(wal).slice(-3, -1);
  const reference: Reference = {
    whole: await contentsAt(store),
    torn: beforeLast === undefined ? null : await contentsAt(store, beforeLast),
    joint:
      beforeTwo === undefined || beforeLast === undefined
        ? null
        : { at: beforeLast - FRAME, torn: await contentsAt(store, beforeTwo) },
  };
  references.set(store, reference);
  return reference;
}

async function contentsAt(store: string, walSize?: number): Promise<Contents> {
  const dir = `${store}-reference-${process.pid}`;
  copyStore(store, dir);
  if (walSize !== undefined) truncateSync(join(dir, WAL), walSize);
  const journal = openBareJournal(dir);
  const contents = await contentsOf(journal);
  await journal.close();
  rmSync(dir, { recursive: true });
  if (contents.damages.length > 0) throw new Error("the prepared store is damaged");
  return contents;
}

/** The content after damage; null when the whole file was refused as damaged. */
async function openedContents(
  { dir, open }: Trial,
  known: readonly string[],
): Promise<Contents | null> {
  try {
    if (open === "host") {
      const host = await wireHost({ data: dir, agents: [crashAgent()], onError: () => undefined });
      const contents = await contentsOf(host.journal, known);
      await host.close();
      return contents;
    }
    const journal = openBareJournal(dir);
    const contents = await contentsOf(journal, known);
    await journal.close();
    return contents;
  } catch (error) {
    if (error instanceof HostError && /^data_(damaged|too_new)$/.test(error.code)) return null;
    throw error;
  }
}

/**
 * Differences that no damage report covers. A running host appends events, so there the old events
 * must be a prefix.
 */
function differences(reference: Contents, found: Contents, isHost: boolean): string[] {
  const problems: string[] = [];
  const named = new Set(found.damages.map(({ session }) => session));
  for (const [id, was] of reference.sessions) {
    const is = found.sessions.get(id);
    if (is === undefined) {
      if (!named.has(id) && !named.has(null)) problems.push(`${id} is gone, and nothing says so`);
      continue;
    }
    const isBroken = is.error !== null || named.has(id);
    const [short, long] =
      is.text.length < was.text.length ? [is.text, was.text] : [was.text, is.text];
    if (!long.startsWith(short)) problems.push(`${id}: other events than were written`);
    if (isBroken) continue;
    if (is.text.length < was.text.length)
      problems.push(`${id}: its last events are gone, silently`);
    if (!isHost && is.text.length > was.text.length) problems.push(`${id}: events nobody wrote`);
    problems.push(...otherRecords(id, was, is, isHost));
  }
  for (const id of found.sessions.keys()) {
    if (!reference.sessions.has(id)) problems.push(`${id} was never created`);
  }
  return problems;
}

function otherRecords(id: string, was: Content, is: Content, isHost: boolean): string[] {
  const problems: string[] = [];
  if (was.trimmed !== is.trimmed)
    problems.push(`${id}: trimmed at ${is.trimmed}, not ${was.trimmed}`);
  if (!isHost && was.head !== is.head) problems.push(`${id}: another head, silently: ${is.head}`);
  // A lost base is folded again from the events; a different base, or a lost one with trimmed
  // events, is loss.
  const isCache = is.base === null && was.trimmed === 0;
  if (!isHost && was.base !== is.base && !isCache) problems.push(`${id}: another base, silently`);
  for (const [fact, seq] of Object.entries(was.facts)) {
    const now = is.facts[fact];
    if (now !== seq) problems.push(`${id}: once-only fact ${fact} at ${now}, not ${seq}, silently`);
  }
  return problems;
}

/**
 * Checks a repair: kept events must be original, at their seq, and the repaired store must open.
 */
async function repaired(
  dir: string,
  reference: Contents,
  known: readonly string[],
): Promise<string[]> {
  try {
    await repairSqliteJournal(dir);
  } catch (error) {
    if (error instanceof HostError && error.code === "data_damaged") return [];
    throw error;
  }
  const journal = await openSqliteJournal({ dir });
  const contents = await contentsOf(journal, known);
  const problems: string[] = [];
  for (const [id, { text, error }] of contents.sessions) {
    const known = reference.sessions.get(id);
    // The session's removal was lost, so the session is back, with its original events.
    if (known === undefined) continue;
    const was = linesBySeq(known.text);
    for (const [seq, line] of linesBySeq(text)) {
      if (was.get(seq) !== line) problems.push(`repair: ${id} has another event ${seq}`);
    }
    if (error !== null && error !== "session_damaged") problems.push(`repair: ${id}: ${error}`);
  }
  // A repaired store must accept a write to a healthy session.
  const healthy = [...contents.sessions].find(([, { error }]) => error === null)?.[0];
  await journal.close();
  if (healthy !== undefined) {
    const host = await wireHost({ data: dir, agents: [crashAgent()], onError: () => undefined });
    await host.sessions.execute(healthy as SessionId, "announce", {});
    await host.close();
  }
  return problems;
}

function linesBySeq(text: string): Map<number, string> {
  const lines = new Map<number, string>();
  for (const line of text.split("\n")) {
    if (line !== "") lines.set(Number(/^\{"seq":(\d+)/.exec(line)?.[1]), line);
  }
  return lines;
}
