/**
 * The one history checker. It compares the answers and events that callers and followers received
 * with the journal after the next boot: (i) every acknowledged event is there exactly once, at its
 * seq; (ii) every follower saw a gapless slice without duplicates; (iii) every event that was seen is
 * in the journal; (iv) a call without an answer happened at most once, a refused one not at all;
 * (v) enough calls were made, else the run proves too little. Then it checks what must hold in any
 * journal: dense seqs, one outcome per run, …
 */

import { crc32 } from "node:zlib";
import type { Entry, Mark, Told } from "./records.ts";

/** One session as a new host reads it. */
export interface FinalSession {
  readonly id: string;
  readonly seq: number;
  readonly chain: number;
  readonly trimmed: number;
  readonly base: { readonly seq: number; readonly chain: number } | null;
  /** Events from trimmed + 1 to seq, each with its newline. */
  readonly lines: readonly string[];
  /** True for an open run that will never be settled. */
  readonly stuck: boolean;
  readonly missingBlobs: readonly string[];
}

export interface Final {
  readonly epoch: number;
  readonly damages: readonly { readonly session: string | null; readonly reason: string }[];
  readonly sessions: readonly FinalSession[];
  readonly hostToken: string | null;
}

export interface Verdict {
  readonly problems: readonly string[];
  readonly acked: number;
  readonly seen: number;
  readonly unknown: number;
}

export interface CheckOptions {
  /** Fewer acknowledged calls than this make the run void. */
  readonly atLeast: number;
  /** True when the caller expects damage and checks it itself. */
  readonly mayBeDamaged?: boolean;
}

type Invoke = Extract<Entry, { t: "invoke" }>;

interface Call {
  readonly invoke: Invoke;
  told: readonly Told[] | null;
  failed: string | null;
}

interface Stream {
  readonly session: string;
  next: number | null;
  readonly told: Told[];
}

export function checkHistory(
  entries: readonly Entry[],
  final: Final,
  { atLeast, mayBeDamaged = false }: CheckOptions,
): Verdict {
  const problems: string[] = [];
  const say = (problem: string) => {
    if (problems.length < 20) problems.push(problem);
  };
  const { calls, streams, removed } = collect(entries, say);
  const sessions = new Map(final.sessions.map((session) => [session.id, session]));
  const crcs = new Map(
    final.sessions.map(({ id, lines }) => [id, lines.map((line) => crc32(line))]),
  );
  if (!mayBeDamaged) for (const { reason } of final.damages) say(`damage after a crash: ${reason}`);

  /** Reported events must be in the journal, unless retention or a removal deleted them. */
  const mustBeThere = (who: string, id: string, told: readonly Told[]) => {
    const session = sessions.get(id);
    if (session === undefined) {
      if (!removed.has(id) && told.length > 0) say(`${who}: session ${id} is lost`);
      return;
    }
    for (const [seq, crc] of told) {
      if (seq <= session.trimmed) continue;
      const there = crcs.get(id)?.[seq - session.trimmed - 1];
      if (there === undefined)
        say(`${who}: event ${seq} of ${id} is lost (journal ends at ${session.seq})`);
      else if (there !== crc) {
        const line = session.lines[seq - session.trimmed - 1]?.trim().slice(0, 300);
        const where = `trimmed ${session.trimmed}, base ${session.base?.seq}, head ${session.seq}`;
        say(`${who}: another event took seq ${seq} of ${id} (${where}): ${line}`);
      }
    }
  };

  let acked = 0;
  let unknown = 0;
  for (const { invoke, told, failed } of calls.values()) {
    if (told !== null) {
      acked++;
      mustBeThere(`acknowledged ${invoke.name} ${invoke.op}`, invoke.s, told);
    } else if (failed === null) unknown++;
  }
  let seen = 0;
  for (const [follower, { session, told }] of streams) {
    seen += told.length;
    mustBeThere(`follower ${follower}`, session, told);
  }
  checkMarks(calls, sessions, removed, say);
  for (const session of final.sessions) {
    checkJournal(session, say);
    // Removal deletes the files before the record; the next sweep completes it.
    if (removed.has(session.id)) continue;
    for (const hash of session.missingBlobs) say(`${session.id}: blob ${hash} is named but gone`);
  }
  checkHostToken(entries, final, say);
  if (acked < atLeast) say(`void: only ${acked} acknowledged calls, ${atLeast} are needed`);
  return { problems, acked, seen, unknown };
}

function collect(entries: readonly Entry[], say: (problem: string) => void) {
  const calls = new Map<string, Call>();
  const streams = new Map<string, Stream>();
  const removed = new Set<string>();
  for (const entry of entries) {
    switch (entry.t) {
      case "invoke":
        calls.set(entry.op, { invoke: entry, told: null, failed: null });
        if (entry.name === "remove") removed.add(entry.s);
        break;
      case "ok": {
        const call = calls.get(entry.op);
        if (call !== undefined) call.told = entry.events;
        break;
      }
      case "fail": {
        const call = calls.get(entry.op);
        if (call !== undefined) call.failed = entry.code;
        break;
      }
      case "seen": {
        const stream = streams.get(entry.f) ?? { session: entry.s, next: null, told: [] };
        streams.set(entry.f, stream);
        if (stream.next !== null && entry.first !== stream.next) {
          say(`follower ${entry.f}: expected seq ${stream.next}, got ${entry.first}`);
        }
        stream.next = entry.first + entry.crcs.length;
        entry.crcs.forEach((crc, i) => void stream.told.push([entry.first + i, crc]));
        break;
      }
      case "reset": {
        const stream = streams.get(entry.f) ?? { session: entry.s, next: null, told: [] };
        streams.set(entry.f, stream);
        if (stream.next !== null && entry.seq < stream.next - 1) {
          say(`follower ${entry.f}: reset back to ${entry.seq} from ${stream.next - 1}`);
        }
        stream.next = entry.seq + 1;
        break;
      }
      default:
    }
  }
  return { calls, streams, removed };
}

/** (iv): counts the occurrences of a call in the journal, over all calls that look the same. */
function checkMarks(
  calls: ReadonlyMap<string, Call>,
  sessions: ReadonlyMap<string, FinalSession>,
  removed: ReadonlySet<string>,
  say: (problem: string) => void,
): void {
  const marks = new Map<string, { mark: Mark; session: string; calls: Call[] }>();
  for (const call of calls.values()) {
    const { mark, s } = call.invoke;
    if (mark === null) continue;
    const key = `${s} ${mark.kinds.join()} ${mark.text}`;
    const group = marks.get(key) ?? { mark, session: s, calls: [] };
    marks.set(key, group);
    group.calls.push(call);
  }
  for (const { mark, session: id, calls: group } of marks.values()) {
    const session = sessions.get(id);
    if (session === undefined) {
      if (removed.has(id)) continue;
    } else if (session.trimmed > 0) continue;
    const found = session === undefined ? 0 : countMark(session.lines, mark);
    const name = group[0]?.invoke.name;
    const done = group.some(
      ({ told, invoke }) => told !== null && (told.length > 0 || invoke.again),
    );
    if (found > 1) say(`${name} ${mark.text} happened ${found} times in ${id}`);
    if (done && found === 0) say(`${name} ${mark.text} was acknowledged and is not in ${id}`);
    if (found > 0 && group.every(({ failed }) => failed !== null)) {
      say(`${name} ${mark.text} was refused (${group[0]?.failed}) and is in ${id} all the same`);
    }
  }
}

function countMark(lines: readonly string[], { kinds, text }: Mark): number {
  return lines.filter(
    (line) => line.includes(text) && kinds.some((kind) => line.includes(`"kind":"${kind}"`)),
  ).length;
}

interface Fact {
  readonly seq: number;
  readonly kind: string;
  readonly runId?: string;
  readonly attempt?: number;
  readonly tokenId?: string;
  readonly approvalId?: string;
  readonly toolCallId?: string;
  readonly clientId?: string;
}

const outcomes = new Set(["run.completed", "run.failed", "run.cancelled", "run.interrupted"]);

function checkJournal(session: FinalSession, say: (problem: string) => void): void {
  const { id, seq, trimmed, lines, base } = session;
  if (trimmed + lines.length !== seq) {
    say(`${id}: ${lines.length} events after ${trimmed}, but its head says ${seq}`);
  }
  const start = trimmed === 0 ? 0 : base?.seq === trimmed ? base.chain : null;
  if (start !== null && crc32(lines.join(""), start) !== session.chain) {
    say(`${id}: the chain of its events is not the chain of its head`);
  }
  if (session.stuck) say(`${id}: an open run was left to nobody`);
  const once = new Map<string, number>();
  const open = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const fact = JSON.parse(line) as Fact;
    if (fact.seq !== trimmed + i + 1) say(`${id}: seq ${fact.seq} stands at ${trimmed + i + 1}`);
    const key = onceKey(fact);
    if (key !== null) {
      once.set(key, (once.get(key) ?? 0) + 1);
      if (once.get(key) === 2) say(`${id}: ${key} twice`);
    }
    const call = `${fact.runId} ${fact.attempt} ${fact.toolCallId}`;
    if (fact.kind === "tool.started") open.set(call, fact.runId ?? "");
    if (fact.kind === "tool.finished" && !open.delete(call) && trimmed === 0) {
      say(`${id}: tool call ${call} finished without being open`);
    }
    if (outcomes.has(fact.kind)) {
      for (const [left, runId] of open) {
        if (runId === fact.runId) say(`${id}: tool call ${left} is open after the outcome`);
      }
    }
  }
}

function onceKey(fact: Fact): string | null {
  if (outcomes.has(fact.kind)) return `outcome of ${fact.runId}`;
  switch (fact.kind) {
    case "token.consumed":
      return `consumption of ${fact.tokenId}`;
    case "approval.decided":
      return `decision of ${fact.approvalId}`;
    case "run.cancel_requested":
      return `cancel of ${fact.runId}`;
    case "message.user":
    case "message.queued":
      return fact.clientId === undefined ? null : `client message ${fact.clientId}`;
    default:
      return null;
  }
}

function checkHostToken(entries: readonly Entry[], final: Final, say: (problem: string) => void) {
  for (const entry of entries) {
    if (entry.t !== "hostToken" || entry.token === final.hostToken) continue;
    say(
      `the host's token was shown and is ${final.hostToken === null ? "lost" : "another one"} now`,
    );
    return;
  }
}
