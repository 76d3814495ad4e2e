/** Creates a session, with an optional first message; one session per idempotency key. */

import { isAbsolute } from "node:path";
import type { ParsedBody, RouteReply, SessionId } from "@holdfast/protocol";
import type { Caller } from "../../access/credentials/caller.ts";
import { createdFact } from "../../session/facts.ts";
import type { HandlerDeps } from "../request/deps.ts";
import type { HandlersOf } from "../request/handler.ts";
import { badField } from "../request/request.ts";
import { beginning } from "./content.ts";
import { type SendDeps, send } from "./messages.ts";
import { OpenSessions } from "./open-sessions.ts";
import { showSessionNow } from "./show.ts";

/** Length of a title taken from the first line of a message. */
const TITLE = 80;

type Body = ParsedBody<"createSession">;

type Admit = OpenSessions["add"];

export function createHandlers(deps: HandlerDeps): HandlersOf<"createSession"> {
  const open = new OpenSessions(deps.host, deps.limits);
  const admit: Admit = (...creation) => open.add(...creation);
  return {
    createSession: ({ caller, body, idempotencyKey }) =>
      createSession(deps, admit, caller, body, idempotencyKey),
  };
}

export async function createSession(
  deps: SendDeps,
  admit: Admit,
  caller: Caller,
  body: Body,
  idempotencyKey?: string,
): Promise<RouteReply<"createSession">> {
  const { sessions, agents } = deps.host;
  const refused = agents.refuse(body.agent);
  if (refused !== null) throw refused;
  await mustBeServable(deps, caller, body.workspace);
  const session = await createOnce(deps, admit, caller, body, idempotencyKey ?? body.clientId);
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
}

async function mustBeServable(
  { host: { workspaces } }: SendDeps,
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
      'must be left out: an "empty" workspace gets a new directory. Use "in-place" for an existing one.',
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
  "must be the absolute path of an existing directory.",
);

/** The same key of the same tenant gives the same session, also for two concurrent requests. */
async function createOnce(
  { host: { sessions, journal, agents } }: SendDeps,
  admit: Admit,
  { tenant }: Caller,
  body: Body,
  key: string | undefined,
): Promise<SessionId> {
  const first = async () => (key === undefined ? null : journal.find(createdFact(tenant, key).key));
  const known = await first();
  if (known !== null) return known;
  const sessionId = sessions.newId("session");
  try {
    const { title = titleOf(body.message), agent: agentName, model, workspace, policy } = body;
    const definition = await agents.pin(agentName);
    const chooser = { tenant, agentName, definition };
    // After the lookup: a repeated request gets its session, also if it would be refused by now.
    const refused = model === undefined ? null : agents.refuseModel(chooser, model);
    if (refused !== null) throw refused;
    const input = { sessionId, ...chooser, title, model, workspace, policy, key };
    await admit(sessionId, tenant, () => sessions.ask(sessionId, "create", input));
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
