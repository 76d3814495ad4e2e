/** [P10]: a backup taken under load is, when restored, the journal of one moment. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { eachPoint, type Suite } from "../../long/suite.ts";
import { auditOf } from "../audit.ts";
import { Driven } from "../children.ts";
import type { Job } from "../driver.ts";
import type { Final } from "../history.ts";
import { dropFolder, newFolder } from "../places.ts";
import { type Entry, readEntries } from "../records.ts";

export const backup: Suite = {
  name: "backup",
  async run(context) {
    const backups = context.short ? 3 : 20;
    await context.test(
      `${backups} backups under load, each restored, are consistent prefixes [P10]`,
      async () => {
        const folder = newFolder("backup");
        const job: Job = {
          data: join(folder, "data"),
          records: join(folder, "records"),
          work: { name: "backups", count: backups, to: join(folder, "copies") },
        };
        const host = new Driven(job);
        await host.word("done", 120_000);
        await host.kill();
        const entries = readEntries(job.records);
        const final = await finalOf(job.data);
        const copies = Array.from({ length: backups }, (_, i) => i);
        const problems = await eachPoint(context, copies, async (i) => {
          const restored = join(folder, `restored-${i}`);
          cpSync(join(folder, "copies", String(i)), restored, { recursive: true });
          const problems = isPrefix(entries, i, await finalOf(restored), final);
          const opened = await auditOf(restored);
          return "error" in opened ? [...problems, `it does not open: ${opened.error}`] : problems;
        });
        dropFolder(folder);
        return problems;
      },
    );
  },
};

async function finalOf(data: string): Promise<Final> {
  const audit = await auditOf(data, true);
  if ("error" in audit) throw new Error(audit.error);
  if (audit.final.damages.length > 0) throw new Error(JSON.stringify(audit.final.damages));
  return audit.final;
}

interface Call {
  readonly session: string;
  readonly invoked: number;
  readonly acked: number;
  readonly last: number;
}

function isPrefix(entries: readonly Entry[], n: number, copy: Final, final: Final): string[] {
  const problems: string[] = [];
  const now = new Map(final.sessions.map((session) => [session.id, session]));
  const there = new Map<string, number>();
  for (const { id, seq, trimmed, lines, missingBlobs } of copy.sessions) {
    there.set(id, seq);
    const whole = now.get(id);
    if (missingBlobs.length > 0 && whole !== undefined) problems.push(`${id}: blobs are missing`);
    // Events that were trimmed or removed since cannot be compared.
    for (const [i, line] of lines.entries()) {
      const at = trimmed + i - (whole?.trimmed ?? Number.POSITIVE_INFINITY);
      if (at >= 0 && whole?.lines[at] !== line) problems.push(`${id}: ${trimmed + i + 1} differs`);
    }
  }
  const calls = callsIn(entries);
  const begun = entries.findIndex((e) => e.t === "note" && e.name === "backup" && e.value === n);
  const isIn = ({ session, last }: Call) => (there.get(session) ?? 0) >= last;
  const removed = new Set(
    entries.flatMap((entry) => (entry.t === "invoke" && entry.name === "remove" ? [entry.s] : [])),
  );
  const latest = Math.max(begun, ...calls.filter(isIn).map(({ invoked }) => invoked));
  for (const call of calls) {
    if (call.acked > latest || isIn(call) || removed.has(call.session)) continue;
    problems.push(`an event acknowledged before the copy's newest one is missing: ${call.session}`);
  }
  if (calls.filter(isIn).length < 5) problems.push("void: the copy holds too little");
  return problems;
}

function callsIn(entries: readonly Entry[]): Call[] {
  const invoked = new Map<string, { index: number; session: string }>();
  const calls: Call[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry.t === "invoke") invoked.set(entry.op, { index, session: entry.s });
    const from = entry.t === "ok" ? invoked.get(entry.op) : undefined;
    if (entry.t !== "ok" || from === undefined || entry.events.length === 0) continue;
    const last = Math.max(...entry.events.map(([seq]) => seq));
    calls.push({ session: from.session, invoked: from.index, acked: index, last });
  }
  return calls;
}
