/** Handlers of a session's history: its events, messages, runs and receipts. */

import { type Event, foldVersion, messageView, ranAgain, type SessionId } from "@holdfast/protocol";
import { decodeEvents } from "@holdfast/protocol/schemas";
import type { Journal } from "../../journal/journal.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { showRecord, showSession } from "./show.ts";

type Names = "listEvents" | "getTranscript" | "listRuns" | "listReceipts";

export function historyHandlers({ host: { sessions, journal } }: HandlerDeps): HandlersOf<Names> {
  return {
    async listEvents({ at, query: { after, limit } }) {
      const events = await eventsAfter(journal, at.session, after, limit);
      const last = events.at(-1)?.seq ?? after;
      const lastSeq = Math.max(at.state.seq, last);
      return { events, lastSeq, next: last < lastSeq ? last : null };
    },

    async getTranscript({ at, query: { tail } }) {
      const { state, chain, transcript } = await sessions.open(at.session);
      const { messages, receipts } = transcript;
      const earlier = Math.max(0, messages.length - (tail ?? messages.length));
      const from = earlier > 0 ? (messages[earlier]?.seq ?? 0) : 0;
      return {
        seq: state.seq,
        chain,
        foldVersion,
        earlier,
        session: showSession(sessions, state, at.damage),
        state,
        messages: messages.slice(earlier).map(messageView),
        receipts: receipts.filter(({ seq }) => seq > from),
      };
    },

    async listRuns({ at, query: { limit } }) {
      const opened = await sessions.open(at.session);
      const latest = opened.transcript.runs.slice(-limit).reverse();
      return { runs: latest.map((record) => showRecord(sessions, opened, record)) };
    },

    async listReceipts({ at }) {
      const { transcript } = await sessions.open(at.session);
      const again = ranAgain(transcript.messages, transcript.receipts);
      const receipts = transcript.receipts.map((receipt) => ({
        ...receipt,
        ranAgain: [...(again.get(receipt.seq) ?? [])],
      }));
      return { receipts };
    },
  };
}

/** Limit of one answer: most events have a few hundred bytes, but a single one may have 256 KB. */
const ANSWER_BYTES = 2 * 1024 * 1024;

/** Reads several slices: one alone may be short, because a slice ends where pages and tail meet. */
async function eventsAfter(
  journal: Journal,
  session: SessionId,
  after: number,
  limit: number,
): Promise<Event[]> {
  const events: Event[] = [];
  let bytes = 0;
  while (events.length < limit && bytes < ANSWER_BYTES) {
    const at = events.at(-1)?.seq ?? after;
    const slice = await journal.read(session, at, limit - events.length);
    if (slice === null) break;
    events.push(...decodeEvents(slice.bytes));
    bytes += slice.bytes.length;
  }
  return events;
}
