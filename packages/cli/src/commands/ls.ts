import {
  age,
  count,
  happeningWords,
  listedTime,
  type SessionView,
  type Status,
  statuses,
} from "@holdfast/protocol";
import { usage } from "../exit.ts";
import { hint } from "../hint.ts";
import { sessionsOf, shortId } from "../host/sessions.ts";
import { hostCommand } from "../host-command.ts";
import { byNeed, parkedWords, shownWords, stateWord } from "../lines/session-words.ts";
import { print, printLine, say, widthOfStdout } from "../output/print.ts";
import { withProgressNotes } from "../output/progress-notes.ts";
import { table } from "../output/table.ts";
import { quiet, type Words } from "../output/words.ts";

const flags = {
  status: { value: "WORD", does: `only ${shownWords.join(", ")}, or a status of the API` },
  q: { value: "TEXT", does: "only sessions whose title contains this" },
  all: { does: "all sessions, not only the latest 30" },
} as const;

/** About one screen of sessions; sessions that need a person are always listed. */
const USUAL = 30;

export const listSessions = hostCommand(
  { name: "ls", does: "list sessions; those that need you first", flags },
  async (client, given) => {
    const { status, isWanted } = wanted(given.status);
    const filter = { status, q: given.q };
    const asked = all(sessionsOf(client, filter));
    const found = await withProgressNotes("asking", asked, given.json);
    const sessions = found.filter(isWanted).sort(byNeed);
    const shown = given.all ? sessions : sessions.filter((one, i) => i < USUAL || isUrgent(one));
    if (given.json) return print({ sessions: shown, more: sessions.length - shown.length });
    const isFiltered = given.q !== undefined || given.status !== undefined;
    if (sessions.length === 0 && isFiltered) say("holdfast: no session matches");
    else if (sessions.length === 0)
      say(`holdfast: no sessions. Start one with: ${hint("run", '"…"')}`);
    for (const line of lines(shown, Date.now(), widthOfStdout())) await printLine(line);
    for (const line of parked(shown)) say(quiet(`· ${line}`));
    const more = sessions.length - shown.length;
    if (more > 0) say(quiet(`… ${count(more, "session")} more: ${hint("ls --all")}`));
  },
);

function parked(sessions: readonly SessionView[]): string[] {
  return sessions.flatMap((session) => parkedWords(session, shortId(session.id)) ?? []);
}

function isUrgent(session: SessionView): boolean {
  return stateWord(session).rank === 0;
}

interface Wanted {
  readonly status: Status | undefined;
  readonly isWanted: (session: SessionView) => boolean;
}

/** The host filters by its own statuses; the words that this list shows are compared here. */
function wanted(word: string | undefined): Wanted {
  const status = statuses.find((one) => one === word);
  if (word === undefined || status !== undefined) return { status, isWanted: () => true };
  const shown = shownWords.find((one) => one === word.replaceAll("-", " "));
  if (shown !== undefined) {
    return { status, isWanted: (session) => stateWord(session).word === shown };
  }
  const known = [...new Set([...shownWords, ...statuses])];
  throw usage(`There is no status "${word}". There are: ${known.join(", ")}.`);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const columns = [
  { head: "STATE" },
  { head: "TITLE", gives: true },
  { head: "LAST", gives: true },
  { head: "AGENT" },
  { head: "AGE" },
  { head: "SESSION" },
] as const;

export function lines(
  sessions: readonly SessionView[],
  now: number,
  width: number | null,
): Words[] {
  if (sessions.length === 0) return [];
  const rows = sessions.map((session) => {
    const { glyph, word, tone } = stateWord(session);
    const queued = session.queued > 0 && word !== "ended" ? ` +${session.queued}` : "";
    return [
      { text: `${glyph} ${word}${queued}`, tone },
      { text: session.title },
      { text: lastOf(session), tone: "quiet" as const },
      { text: session.agentName },
      { text: age(listedTime(session), now) },
      { text: shortId(session.id), tone: "quiet" as const },
    ];
  });
  return table(columns, rows, width);
}

function lastOf({ happening, word }: SessionView): string {
  return happening === null ? "" : happeningWords(happening, word);
}
