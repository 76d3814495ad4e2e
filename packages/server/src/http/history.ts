/** What has happened in a session: its events, its messages, its runs, its recoveries. */

import { decodeEvents, foldVersion, messageView } from "@holdfast/protocol";
import type { HandlerDeps } from "./deps.ts";
import type { HandlersOf } from "./handler.ts";
import { showRecord, showSession } from "./show.ts";

type Names = "listEvents" | "getTranscript" | "listRuns" | "listReceipts";

export function historyHandlers({ host: { sessions } }: HandlerDeps): HandlersOf<Names> {
  return {
    async listEvents({ at, query: { after, limit } }) {
      const slice = await sessions.journal.read(at.session, after, limit);
      const events = slice === null ? [] : decodeEvents(slice.bytes);
      return { events, lastSeq: Math.max(at.state.seq, events.at(-1)?.seq ?? 0) };
    },

    async getTranscript({ at, query: { tail } }) {
      const { state, chain, transcript } = await sessions.open(at.session);
      const { messages } = transcript;
      const earlier = Math.max(0, messages.length - (tail ?? messages.length));
      return {
        ...{ seq: state.seq, chain, foldVersion, earlier },
        session: showSession(sessions, state, at.damage),
        state: { ...state },
        messages: messages.slice(earlier).map(messageView),
      };
    },

    async listRuns({ at, query: { limit } }) {
      const opened = await sessions.open(at.session);
      const latest = opened.transcript.runs.slice(-limit).reverse();
      return { runs: latest.map((record) => showRecord(sessions, opened, record)) };
    },

    async listReceipts({ at }) {
      const { transcript } = await sessions.open(at.session);
      return { receipts: [...transcript.receipts] };
    },
  };
}
