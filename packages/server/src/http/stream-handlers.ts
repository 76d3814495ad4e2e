/** The three streaming routes: two as Server-Sent Events, one as a WebSocket. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError, type SessionId } from "@holdfast/protocol";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { Caller } from "../access/credentials/caller.ts";
import type { Guarded } from "../access/guard/middleware.ts";
import { serveSse } from "../streams/sse/sse-stream.ts";
import type { Streams } from "../streams/streams.ts";
import type { StreamHandlers } from "./request/handler.ts";

export function streamHandlers(streams: Streams): StreamHandlers {
  const sse = (followed: Followed, context: Context<Guarded>) => serve(streams, followed, context);
  return {
    followSession: ({ caller, query, at }, context) =>
      sse({ caller, session: at.session, after: query.after }, context),
    followRun: ({ caller, query, params, at }, context) =>
      sse({ caller, session: at.session, after: query.after, run: params.runId }, context),
    // Upgrades bypass the app, so a request that gets here has no upgrade.
    socket: () => {
      throw new HostError("bad_input", "Connect to this address with a WebSocket.");
    },
  };
}

interface Followed {
  readonly caller: Caller;
  readonly session: SessionId;
  readonly after: number | undefined;
  readonly run?: string;
}

async function serve(streams: Streams, followed: Followed, context: Context<Guarded>) {
  const { incoming, outgoing } = context.env as {
    incoming: IncomingMessage;
    outgoing: ServerResponse;
  };
  const instead = await serveSse(streams, { ...followed, request: incoming, response: outgoing });
  if (instead === null) return alreadySent();
  return context.body(null, instead.status, { ...instead.headers });
}

/**
 * Tells the server adapter that the response is already sent. The body is accessed because the
 * adapter writes untouched responses itself, without reading that mark.
 */
function alreadySent(): Response {
  const sent = new Response(RESPONSE_ALREADY_SENT.body, RESPONSE_ALREADY_SENT);
  void sent.body;
  return sent;
}
