/**
 * [F41]: a file truncated anywhere in its last records ends at the last whole one, and continues
 * from there.
 */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HostError } from "@holdfast/protocol";
import type { Context } from "../../long/suite.ts";
import { openBareJournal } from "../bare-journal.ts";
import { type Contents, contentsOf } from "../content.ts";
import { commitEnds, copyStore, damage, JOURNAL, WAL } from "../damage.ts";
import { dropFolder, newFolder } from "../places.ts";

const RECORDS = 3;

export async function truncations(context: Context, small: string, closed: string): Promise<void> {
  const ends = commitEnds(readFileSync(join(small, WAL)));
  const cuts = ends.slice(-RECORDS - 1);
  const [from = 0, to = 0] = [cuts[0], cuts.at(-1)];
  const stride = context.short ? 701 : 1;
  const count = Math.ceil((to - from) / stride);
  await context.test(
    `the log cut at ${count} of ${to - from} bytes of its last ${RECORDS} commits ends at the last whole one [P9] [F41]`,
    async () => cutLog(context, small, cuts, stride),
  );
  const size = statSync(join(closed, JOURNAL)).size;
  const pages = Array.from(
    { length: context.short ? 6 : 300 },
    (_, i) => size - 1 - i * (context.short ? 1777 : 41),
  );
  await context.test(
    `the database cut at ${pages.length} places near its end: same content or named damage [P9]`,
    async () => cutDatabase(closed, pages),
  );
}

async function cutLog(
  context: Context,
  store: string,
  cuts: readonly number[],
  stride: number,
): Promise<string[]> {
  const problems: string[] = [];
  const wanted: string[] = [];
  for (const end of cuts) wanted.push(plain(await cutOnce(store, WAL, end)));
  const [from = 0, to = 0] = [cuts[0], cuts.at(-1)];
  const offset = stride === 1 ? 0 : context.random.below(stride);
  for (let size = from + offset; size < to; size += stride) {
    const whole = cuts.findLastIndex((end) => end <= size);
    const found = plain(await cutOnce(store, WAL, size));
    if (found !== wanted[whole]) problems.push(`cut at ${size}: another content`);
    context.progress(size - from, to - from);
    if (problems.length > 5) break;
  }
  return problems;
}

/** Comparable text of the content, including damage: a cut at the end of the log is not damage. */
function plain(contents: Contents | null): string {
  return JSON.stringify(contents && [[...contents.sessions].sort(), contents.damages]);
}

/** The content after a cut; null when the file was refused as damaged. */
async function cutOnce(store: string, file: string, to: number): Promise<Contents | null> {
  const dir = newFolder("cut");
  copyStore(store, dir);
  damage(dir, { kind: "truncate", file, to });
  try {
    const journal = openBareJournal(dir);
    try {
      return await contentsOf(journal);
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (error instanceof HostError && error.code === "data_damaged") return null;
    throw error;
  } finally {
    dropFolder(dir);
  }
}

async function cutDatabase(store: string, sizes: readonly number[]): Promise<string[]> {
  const problems: string[] = [];
  const whole = await cutOnce(store, JOURNAL, statSync(join(store, JOURNAL)).size);
  for (const size of sizes) {
    const found = await cutOnce(store, JOURNAL, size);
    if (found === null) continue;
    const named = new Set(found.damages.map(({ session }) => session));
    for (const [id, was] of whole?.sessions ?? []) {
      const is = found.sessions.get(id);
      if (is?.text === was.text || is?.error != null || named.has(id) || named.has(null)) continue;
      problems.push(`cut at ${size}: ${id} differs and nothing says so`);
    }
  }
  return problems;
}
