/** Small builders and readers for tests against any journal. */

import type { SessionId } from "@holdfast/protocol";
import type { Batch, Head, Journal } from "../journal/journal.ts";

export function sessionId(n: number): SessionId {
  return `sess_${n.toString(16).padStart(32, "0")}`;
}

export function headOf(head: Partial<Head> = {}): Head {
  return {
    tenant: "tenant",
    title: "A session",
    agentName: "demo",
    lifecycle: "active",
    status: "idle",
    need: null,
    open: false,
    dueAt: null,
    createdAt: 1,
    updatedAt: 2,
    ...head,
  };
}

export function eventLine(seq: number): string {
  return `{"seq":${seq},"kind":"message.delta","text":"event number ${seq}"}\n`;
}

/** A batch of `count` events after `expectedSeq`. */
export function batchOf(
  journal: Journal,
  session: SessionId,
  expectedSeq: number,
  count: number,
): Batch {
  let text = "";
  for (let seq = expectedSeq + 1; seq <= expectedSeq + count; seq++) text += eventLine(seq);
  return { session, epoch: journal.epoch, expectedSeq, count, text };
}

export async function startSession(
  journal: Journal,
  events: number,
  n = 1,
  head = headOf(),
): Promise<SessionId> {
  const session = sessionId(n);
  await journal.append({ ...batchOf(journal, session, 0, events), head });
  return session;
}

/** All event lines after `after`, read `limit` at a time. */
export async function readAll(
  journal: Journal,
  session: SessionId,
  after = 0,
  limit = 1000,
): Promise<string[]> {
  const lines: string[] = [];
  for (let at = after; ; ) {
    const slice = await journal.read(session, at, limit);
    if (!slice) return lines;
    const text = Buffer.from(slice.bytes).toString();
    lines.push(...text.split(/(?<=\n)/));
    at += slice.count;
  }
}
