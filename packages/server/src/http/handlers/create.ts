/**
 * Creates a session, with an optional first message; a repeated request with the same key creates
 * one session.
 */

import { isAbsolute } from "node:path";
import type { ParsedBody, SessionId } from "@holdfast/protocol";
import type { Caller } from "../../access/credentials/caller.ts";
import { createdFact } from "../../session/facts.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { badField } from "../request/request.ts";
import { beginning } from "./content.ts";
import { send } from "./messages.ts";
import { OpenSessions } from "./open-sessions.ts";
import { showSessionNow } from "./show.ts";

/** Length of a title taken from the first line of a message. */
const TITLE = 80;

type Body = ParsedBody<"createSession">;

export function createHandlers(deps: HandlerDeps): HandlersOf<"createSession"> {
  const { sessions } = deps.host;
  const open = new OpenSessions(sessions, deps.limits);
  return {
    async createSession({ caller, body, idempotencyKey }) {
      const refused = deps.host.agents.refuse(body.agent);
      if (refused !== null) throw refused;
      await mustBeServable(deps, caller, body.workspace);
      const key = idempotencyKey ?? body.clientId;
      const session = await createOnce(deps, open, caller, body, key);
      if (body.message === undefined) {
        return { session: await showSessionNow(sessions, session), run: null };
      }
      const sent = await send(deps, session, caller, {
        content: body.message,
        model: body.model,
        // The client id makes a repeated request after a crash send the message exactly once.
        clientId: body.clientId ?? idempotencyKey,
      });
      return { session: sent.session, run: sent.run };
    },
  };
}

async function mustBeServable(
  { host: { workspaces } }: HandlerDeps,
  { tenant }: Caller,
  workspace: Body["workspace"],
): Promise<void> {
  if (workspace === undefined) return;
  const { kind, path } = workspace;
  if (kind === "empty") {
    if (path === null) return;
    // An "empty" workspace with a path would skip the checks and let the agent work at that path.
    throw badField(
      "body.workspace.path",
      'must be left out: an "empty" workspace gets a directory of its own. Use "in-place" for one that is there.',
    );
  }
  const refused =
    path === null || !isAbsolute(path) || path.includes("\0")
      ? noDirectory
      : await workspaces.refuse(path, tenant);
  if (refused !== null) throw refused.code === "workspace_missing" ? noDirectory : refused;
}

const noDirectory = badField(
  "body.workspace.path",
  "must be the absolute path of a directory that is there.",
);

/** The same key of the same tenant gives the same session, also for two concurrent requests. */
async function createOnce(
  { host: { sessions, agents } }: HandlerDeps,
  open: OpenSessions,
  { tenant }: Caller,
  body: Body,
  key: string | undefined,
): Promise<SessionId> {
  const first = async () =>
    key === undefined ? null : sessions.journal.find(createdFact(tenant, key).key);
  const known = await first();
  if (known !== null) return known;
  const sessionId = sessions.newId("session");
  try {
    const { title = titleOf(body.message), agent: agentName, model, workspace, policy } = body;
    const definition = await agents.pin(agentName);
    const asked = { title, agentName, model, workspace, policy, key };
    const input = { sessionId, tenant, definition, ...asked };
    await open.add(sessionId, tenant, () => sessions.ask(sessionId, "create", input));
    return sessionId;
  } catch (error) {
    const faster = await first();
    if (faster === null) throw error;
    return faster;
  }
}

function titleOf(message = ""): string {
  const line = message.trimStart().split("\n", 1)[0] ?? "";
  return beginning(line, TITLE).trim() || "New session";
}
