import type { Client } from "@holdfast/client";
import type { RouteReply } from "@holdfast/protocol";
import { isHash } from "../blob-words.ts";
import { command } from "../command.ts";
import { connect } from "../connect.ts";
import { exitCodes, usage } from "../exit.ts";
import { hostFlags } from "../flags.ts";
import { hint } from "../hint.ts";
import { print, printBytes, printLine, printPiece } from "../print.ts";
import { type Piece, questionLines } from "../render.ts";
import { parkedWords, stateWord } from "../session-words.ts";
import { findSession } from "../sessions.ts";
import { openTranscript } from "../transcript-lines.ts";
import { ago, count, quiet, toned, type Words } from "../words.ts";

const flags = {
  tail: { value: "N", does: "how many messages (default 10)" },
  blob: { value: "HASH", does: "only this: all of what was too long, as it is when piped" },
  ...hostFlags,
} as const;

const spec = {
  name: "show",
  takes: "SESSION",
  does: "where it stands, and its last messages",
  flags,
  words: { least: 1, most: 1 },
} as const;

export const show = command(spec, async (given) => {
  const client = await connect(given);
  const tail = numberOf(given.tail ?? "10");
  const sessionId = await findSession(client, given.words[0] ?? "");
  if (given.blob !== undefined) return showBlob(client, sessionId, given.blob, given.json);
  const [status, transcript] = await Promise.all([
    client.call("getStatus", { params: { sessionId } }),
    client.call("getTranscript", { params: { sessionId }, query: { tail } }),
  ]);
  const { session, seq, messages, earlier } = transcript;
  if (given.json) {
    await print({ session, status, transcript: { seq, messages, earlier } });
    return exitCodes.ok;
  }
  const now = Date.now();
  for (const line of headLines(session, status, now)) await printLine(line);
  const { pieces } = openTranscript(transcript, now);
  for (const piece of pieces) await printOne(piece);
  if (pieces.at(-1)?.type === "answer") await printLine("");
  return exitCodes.ok;
});

async function showBlob(
  client: Client,
  sessionId: string,
  hash: string,
  json: boolean,
): Promise<number> {
  if (!isHash(hash)) {
    throw usage(`--blob takes a hash of 64 hex digits, as events name it, not "${hash}".`);
  }
  const bytes = await client.call("getBlob", { params: { sessionId, hash } });
  const text = () => new TextDecoder().decode(bytes);
  await (json ? print({ hash, bytes: bytes.length, text: text() }) : printBytes(bytes));
  return exitCodes.ok;
}

async function printOne(piece: Piece): Promise<void> {
  if (piece.type === "answer") await printPiece(piece.text);
  else if (piece.type === "note") await printLine(piece.words);
  else for (const line of questionLines(piece.question)) await printLine(line);
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw usage(`--tail takes a number of messages, not "${text}".`);
}

type Session = RouteReply<"getSession">["session"];

function headLines(session: Session, status: RouteReply<"getStatus">, now: number): Words[] {
  const { glyph, word, tone } = stateWord(session);
  const { workspace, recovery } = session;
  const facts: [string, string | null][] = [
    ["session", session.id],
    [
      "agent",
      session.model === null ? session.agentName : `${session.agentName}, ${session.model}`,
    ],
    ["workspace", workspace.path === null ? workspace.kind : `${workspace.kind} ${workspace.path}`],
    [
      "run",
      status.run === null ? null : `${status.run.id}, ${status.run.status.replaceAll("_", " ")}`,
    ],
    [
      "queue",
      session.queued === 0 ? null : (parkedWords(session) ?? count(session.queued, "message")),
    ],
    ["changed", `${ago(session.lastActiveAt, now)}, event ${session.lastSeq}`],
    ["trouble", recovery.reviveError?.message ?? status.notice?.message ?? null],
    ["next", nextStep(session, status)],
  ];
  const known = facts.filter((fact): fact is [string, string] => fact[1] !== null);
  return [
    [toned(tone, `${glyph} ${word}`), "  ", toned("strong", session.title)],
    ...known.map(([name, text]): Words => [quiet(`  ${name.padEnd(10)}`), text]),
    "",
  ];
}

/** What a person can do about it, as a command to copy. */
function nextStep({ id, status }: Session, { wait, needsResume }: RouteReply<"getStatus">) {
  if (wait?.kind === "human") return `${hint("approve", id)}  (or deny)`;
  if (status.startsWith("interrupted")) return hint("session continue", id);
  return needsResume ? hint("session resume", id) : null;
}
