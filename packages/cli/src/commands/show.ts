import { join } from "node:path";
import type { Client } from "@holdfast/client";
import { ago, count, neverSentWords, type RouteReply } from "@holdfast/protocol";
import { dataDirectory } from "../config.ts";
import { usage } from "../exit.ts";
import { hint } from "../hint.ts";
import { isLocal } from "../host/connect.ts";
import { sessionCommand } from "../host-command.ts";
import { isHash } from "../lines/blob-words.ts";
import { questionLines } from "../lines/question-lines.ts";
import type { Piece } from "../lines/render.ts";
import { parkedWords, stateWord } from "../lines/session-words.ts";
import { openTranscript } from "../lines/transcript-lines.ts";
import { Gutter } from "../output/gutter.ts";
import { print, printBytes, printLine, printPiece, widthOfStdout } from "../output/print.ts";
import { quiet, toned, type Words } from "../output/words.ts";

const flags = {
  tail: { value: "N", does: "the number of messages to show (default: 10)" },
  blob: { value: "HASH", does: "print the whole of this long text or output" },
} as const;

const spec = {
  name: "show",
  does: "show the state of a session and its last messages",
  flags,
} as const;

export const show = sessionCommand(spec, async (client, sessionId, given) => {
  const tail = numberOf(given.tail ?? "10");
  if (given.blob !== undefined) return showBlob(client, sessionId, given.blob, given.json);
  const [status, transcript, { receipts }] = await Promise.all([
    client.call("getStatus", { params: { sessionId } }),
    client.call("getTranscript", { params: { sessionId }, query: { tail } }),
    client.call("listReceipts", { params: { sessionId } }),
  ]);
  const { session, seq, messages, earlier } = transcript;
  if (given.json)
    return print({ session, status, transcript: { seq, messages, earlier }, receipts });
  const now = Date.now();
  const data = isLocal(given) ? dataDirectory(given.data) : null;
  for (const line of headLines(session, status, now, data)) await printLine(line);
  const { pieces } = openTranscript(transcript, now, receipts);
  const gutter = new Gutter();
  for (const piece of pieces) await printOne(piece, gutter);
  if (pieces.at(-1)?.type === "answer") await printLine("");
});

async function showBlob(
  client: Client,
  sessionId: string,
  hash: string,
  json: boolean,
): Promise<void> {
  if (!isHash(hash)) {
    throw usage(`--blob takes a hash of 64 hex digits, as events name it, not "${hash}".`);
  }
  const bytes = await client.call("getBlob", { params: { sessionId, hash } });
  const text = () => new TextDecoder().decode(bytes);
  await (json ? print({ hash, bytes: bytes.length, text: text() }) : printBytes(bytes));
}

async function printOne(piece: Piece, gutter: Gutter): Promise<void> {
  const columns = widthOfStdout();
  if (piece.type === "answer") {
    await printPiece(columns === null ? piece.text : gutter.mark(piece.text, columns));
  } else if (piece.type === "note") await printLine(piece.words);
  else for (const line of questionLines(piece.question)) await printLine(line);
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw usage(`--tail takes a number of messages from 1 to 99999, not "${text}".`);
}

type Session = RouteReply<"getSession">["session"];

function headLines(
  session: Session,
  status: RouteReply<"getStatus">,
  now: number,
  data: string | null,
): Words[] {
  const { glyph, word, tone } = stateWord(session);
  const { recovery } = session;
  const facts: [string, string | null][] = [
    ["session", session.id],
    [
      "agent",
      session.model === null ? session.agentName : `${session.agentName}, ${session.model}`,
    ],
    ["workspace", workspaceWords(session, data)],
    [
      "isolation",
      session.isolation === "none" ? "none: the agent can do everything you can" : null,
    ],
    [
      "run",
      status.run === null ? null : `${status.run.id}, ${status.run.status.replaceAll("_", " ")}`,
    ],
    ["queue", queueWords(session)],
    ["activity", `${ago(session.lastActiveAt, now)}; ${count(session.lastSeq, "event")} in all`],
    ["trouble", recovery.reviveError?.message ?? status.notice?.message ?? null],
    ["next", nextStep(session, status, now)],
  ];
  const known = facts.filter((fact): fact is [string, string] => fact[1] !== null);
  return [
    [toned(tone, `${glyph} ${word}`), "  ", toned("strong", session.title)],
    ...known.map(([name, text]): Words => [quiet(`  ${name.padEnd(10)}`), text]),
    "",
  ];
}

function queueWords(session: Session): string | null {
  const { queued, lifecycle } = session;
  if (queued === 0) return null;
  if (lifecycle === "ended") return `${neverSentWords(queued)}; see below`;
  return parkedWords(session) ?? count(queued, "message");
}

/** The folder of the session's files. `data` is null for a remote host. */
function workspaceWords({ id, workspace }: Session, data: string | null): string {
  if (workspace.path !== null) return workspace.path;
  return data === null ? "a folder in the host's data directory" : join(data, "workspaces", id);
}

function nextStep(
  { id, status, lifecycle, need, workspace }: Session,
  { wait, run, needsResume, isResumable, workspaceOk }: RouteReply<"getStatus">,
  now: number,
): string | null {
  if (wait?.kind === "human") {
    const command = hint("approve", id, ...(wait.approvalId === null ? [] : [wait.approvalId]));
    return `${command}  (or deny; asked ${ago(wait.since, now)})`;
  }
  // Only the person can put their own folder back; the trouble above says so.
  if (lifecycle === "ended" || (!workspaceOk && workspace.path !== null)) return null;
  if (need?.kind === "failed") {
    const verb = run?.status === "error" ? "retry" : "resume";
    return `${hint(`session ${verb}`, id)}${run === null ? "" : "  (or dismiss)"}`;
  }
  if (status.startsWith("interrupted")) return `${hint("session continue", id)}  (or dismiss)`;
  const isFolderGone = !workspaceOk && isResumable && status === "idle";
  return needsResume || isFolderGone ? hint("session resume", id) : null;
}
