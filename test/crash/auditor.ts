/**
 * Opens the product on the data that a fault left, lets it recover, and reports the content. It
 * runs in its own process, because a host that finds its disk broken exits.
 */

import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HostError, openRun, type SessionId } from "@holdfast/protocol";
import { type HostParts, wireHost } from "../../packages/server/src/host.ts";
import { type Blobs, fileBlobs } from "../../packages/server/src/journal/blobs.ts";
import type { Journal } from "../../packages/server/src/journal/journal.ts";
import { openSqliteJournal } from "../../packages/server/src/journal/sqlite/open.ts";
import { crashAgent } from "./agents.ts";
import type { Final, FinalSession } from "./history.ts";
import { onLines } from "./socket.ts";

export type Audit =
  | { readonly final: Final; readonly recovery: Readonly<Record<string, readonly string[]>> }
  | { readonly error: string };

export interface Question {
  readonly data: string;
  /** Reads only the journal, byte by byte, without a host that recovers and writes. */
  readonly raw?: boolean;
}

interface Opened {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly host: HostParts | null;
}

onLines(process.stdin, (line) => void audit(JSON.parse(line) as Question));

async function audit({ data, raw = false }: Question): Promise<void> {
  let audit: Audit;
  try {
    if (raw) {
      const journal = await openSqliteJournal({ dir: data });
      const opened = { journal, blobs: fileBlobs(join(data, "blobs")), host: null };
      audit = { final: await finalOf(opened, data), recovery: {} };
      await journal.close();
    } else {
      const host = await wireHost({ data, agents: [crashAgent()] });
      const opened = { journal: host.journal, blobs: host.blobs, host };
      audit = { final: await finalOf(opened, data), recovery: { ...host.recovery } };
      await host.close();
    }
  } catch (error) {
    const code = error instanceof HostError ? `${error.code}: ` : "";
    audit = { error: code + (error instanceof Error ? error.message : String(error)) };
  }
  // A pipe takes 64 KB at a time; writeSync would fail on a full one.
  process.stdout.write(`${JSON.stringify(audit)}\n`);
}

async function finalOf(opened: Opened, data: string): Promise<Final> {
  const { journal } = opened;
  const sessions: FinalSession[] = [];
  let cursor: string | undefined;
  do {
    const page = await journal.list({ limit: 200, ...(cursor && { cursor }) });
    for (const { session, damage } of page.sessions) {
      if (damage === undefined) sessions.push(await sessionOf(opened, session));
    }
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  const { epoch } = journal;
  return { epoch, damages: await journal.damages(), sessions, hostToken: tokenIn(data) };
}

async function sessionOf(
  { journal, blobs, host }: Opened,
  session: SessionId,
): Promise<FinalSession> {
  const standing = await journal.standing(session);
  if (standing === null) throw new Error(`${session} is listed and not there`);
  const base = await journal.base(session);
  const { seq, chain, trimmed } = standing;
  const lines: string[] = [];
  for (let after = trimmed; after < seq; after = trimmed + lines.length) {
    const slice = await journal.read(session, after, Math.min(1000, seq - after));
    if (slice === null || slice.firstSeq !== after + 1) break;
    for (const line of Buffer.from(slice.bytes)
      .toString()
      .split(/(?<=\n)/))
      lines.push(line);
  }
  const missingBlobs: string[] = [];
  for (const [, hash = ""] of lines.join("").matchAll(/"blob":\{"hash":"([0-9a-f]{64})"/g)) {
    const found = await blobs.get(session, hash).catch(() => null);
    if (found === null) missingBlobs.push(hash);
  }
  return {
    id: session,
    seq,
    chain,
    trimmed,
    lines,
    missingBlobs,
    base: base && { seq: base.seq, chain: base.chain },
    stuck: host !== null && (await isStuck(host, session)),
  };
}

/** True for an open run of an earlier boot that has no question left to answer or deliver. */
async function isStuck(host: HostParts, session: SessionId): Promise<boolean> {
  const run = openRun(await host.sessions.state(session));
  if (run === null || run.epoch === host.journal.epoch || run.waits.length > 0) return false;
  return !run.approvals.some((asked) => asked.decision !== null && !asked.delivered);
}

function tokenIn(data: string): string | null {
  try {
    return readFileSync(join(data, "token"), "utf8").trim();
  } catch {
    return null;
  }
}

writeSync(1, "auditor\n");
