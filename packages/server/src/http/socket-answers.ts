/** Status and resume over the WebSocket: the same handlers as their routes, behind the same checks. */

import type { RouteName } from "@holdfast/protocol";
import { routes } from "@holdfast/protocol/schemas";
import type { Caller } from "../access/credentials/caller.ts";
import { refuseRoute } from "../access/credentials/grants.ts";
import type { SocketRequest } from "../streams/socket/socket-messages.ts";
import { runtimeHandlers } from "./handlers/runtime.ts";
import type { HandlerDeps } from "./request/deps.ts";
import { type Ask, GoesOn } from "./request/handler.ts";
import { sessionAt } from "./request/resolve-ids.ts";

export function socketAnswers(deps: HandlerDeps) {
  const { getStatus, resumeSession } = runtimeHandlers(deps);

  async function asked<N extends RouteName>(name: N, caller: Caller, request: SocketRequest) {
    const refused = refuseRoute(caller, routes[name]);
    if (refused !== null) throw refused;
    const at = await sessionAt(deps.host, request.session, caller.tenant);
    deps.seen?.(at.session);
    const cameBy = { host: undefined, origin: undefined };
    const gone = new AbortController().signal;
    // A resume over the socket does not wait: the session's events tell when the agent is ready.
    const body = request.type === "resume" ? { mode: request.mode, wait: false } : undefined;
    return {
      caller,
      params: { sessionId: at.session },
      at,
      body,
      cameBy,
      gone,
    } as unknown as Ask<N>;
  }

  return async (caller: Caller, request: SocketRequest): Promise<unknown> => {
    if (request.type === "status") return getStatus(await asked("getStatus", caller, request));
    const answer = await resumeSession(await asked("resumeSession", caller, request));
    return answer instanceof GoesOn ? answer.reply : answer;
  };
}
