/** The host as a library: start a session, send, decide, cancel, read events, close. */

import {
  type ApprovalDecision,
  type Event,
  type EventOf,
  emptyState,
  emptyTranscript,
  openRun,
  type RouteBody,
  type SessionId,
  type SessionState,
  scopes,
  type Transcript,
  unpackFolded,
} from "@holdfast/protocol";
import { decodeEvents, routes } from "@holdfast/protocol/schemas";
import { type Caller, HOST_TENANT } from "./access/credentials/caller.ts";
import { type HostOptions, wireHost } from "./host.ts";
import { createSession } from "./http/handlers/create.ts";
import { send } from "./http/handlers/messages.ts";
import { falseWhenRunEnded } from "./http/handlers/run-ended.ts";
import { parseFields } from "./http/request/request.ts";
import type { Sessions } from "./session/sessions.ts";

/** A new session: its agent, and optionally its title, workspace, model, policy and first message. */
export interface Start extends RouteBody<"createSession"> {
  readonly tenant?: string;
}

/** The folded session up to `seq`, in place of events that retention has deleted. */
export interface FoldedEvents {
  readonly kind: "base";
  readonly seq: number;
  readonly state: SessionState;
  readonly transcript: Transcript;
}

export interface Host {
  /** Starts a session and returns its id. With a `clientId`, a repeated start returns the same. */
  start(session: Start): Promise<string>;
  /** Sends a message. While a run is open, the message waits in the queue. */
  send(
    session: string,
    content: string,
    options?: Omit<RouteBody<"sendMessage">, "content">,
  ): Promise<void>;
  /** Answers a question of the agent, which the event `approval.requested` asks. */
  decide(session: string, question: Asked, decision: ApprovalDecision): Promise<void>;
  /** Cancels the open run; false when there is none. */
  cancel(session: string): Promise<boolean>;
  /** Events after the seq `after`: the past ones, then new ones as they become durable. */
  events(
    session: string,
    options?: { readonly after?: number; readonly signal?: AbortSignal },
  ): AsyncGenerator<Event | FoldedEvents>;
  /** Closes the host; returns the number of runs that continue in their holders. */
  close(): Promise<number>;
  /** @deprecated Use the verbs above. It goes with the next release. */
  readonly sessions: Pick<Sessions, "newId" | "follow"> & { readonly execute: Sessions["ask"] };
}

type Asked = Pick<EventOf<"approval.requested">, "runId" | "approvalId">;

export async function openHost(options: HostOptions): Promise<Host> {
  const host = await wireHost(options);
  const { sessions } = host;
  return {
    async start({ tenant = HOST_TENANT, ...fields }) {
      const body = parseFields("start", routes.createSession.body, fields);
      const { session } = await createSession({ host }, admitAll, callerOf(tenant), body);
      return session.id;
    },
    async send(session, content, options = {}) {
      const message = parseFields("send", routes.sendMessage.body, { content, ...options });
      const { tenant } = await sessions.state(session as SessionId);
      await send({ host }, session as SessionId, callerOf(tenant), message);
    },
    async decide(session, { runId, approvalId }, decision) {
      const input = { runId, approvalId, decision, by: USER };
      await sessions.ask(session as SessionId, "decide", input);
    },
    async cancel(session) {
      const run = openRun(await sessions.state(session as SessionId));
      if (run === null) return false;
      const cancelling = sessions.ask(session as SessionId, "cancel", { runId: run.id, by: USER });
      return cancelling.then(() => true).catch(falseWhenRunEnded);
    },
    async *events(session, { after = 0, ...options } = {}) {
      for await (const followed of sessions.follow(session as SessionId, after, options)) {
        if (followed.type === "events") yield* decodeEvents(followed.slice.bytes);
        else {
          const { seq, state, transcript } = followed.base;
          yield {
            kind: "base",
            seq,
            state: unpackFolded(state, emptyState),
            transcript: unpackFolded(transcript, emptyTranscript),
          };
        }
      }
    },
    close: () => host.close(),
    sessions: {
      newId: sessions.newId,
      follow: (...following) => sessions.follow(...following),
      execute: (...intent) => sessions.ask(...intent),
    },
  };
}

/** A library's user sets no limit on open sessions. */
const admitAll = <T>(_session: SessionId, _tenant: string, make: () => Promise<T>) => make();

/** The author of what the library's user does, as the journal records it. */
const USER = "user";

function callerOf(tenant: string): Caller {
  return { id: "library", kind: "host", name: USER, tenant, scopes: new Set(scopes) };
}
