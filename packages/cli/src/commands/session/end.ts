/** Ends a session: names the messages that stay unsent, asks, and reports them afterwards. */

import type { Client } from "@holdfast/client";
import { endingWords, neverSentWords, type RouteReply } from "@holdfast/protocol";
import { exitCodes } from "../../exit.ts";
import { hint } from "../../hint.ts";
import { sessionCommand } from "../../host-command.ts";
import { confirmed, yesFlag } from "../../live/confirm.ts";
import { print, say } from "../../output/print.ts";
import { withProgressNotes } from "../../output/progress-notes.ts";

const endSpec = {
  name: "session end",
  does: "end a session; the host removes it later (default: after 30 days)",
  flags: yesFlag,
};

const deleteSpec = {
  name: "session delete",
  does: "end a session and take it off the list; a script needs --yes",
  flags: yesFlag,
};

export const end = sessionCommand(endSpec, (client, sessionId, given) =>
  endSession(client, sessionId, given, "endSession"),
);

export const remove = sessionCommand(deleteSpec, (client, sessionId, given) =>
  endSession(client, sessionId, given, "deleteSession"),
);

async function endSession(
  client: Client,
  sessionId: string,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
  route: "endSession" | "deleteSession",
): Promise<number> {
  const params = { sessionId };
  const { session } = await client.call("getSession", { params });
  const isOver = session.lifecycle === "ended";
  const isDeletion = route === "deleteSession";
  if (isOver && (!isDeletion || session.deleted === true)) {
    const what = isDeletion ? "this session was already deleted" : "this session had already ended";
    await tellEnd(client, { session }, json, what);
    return exitCodes.ok;
  }
  const { queue } = await client.call("getQueue", { params });
  const leaves = isDeletion ? " It leaves the list, and can be read by its whole id." : "";
  const ends = isOver ? "" : ` ${endingWords(queue)}`;
  const question = `${isDeletion ? "Delete" : "End"} "${session.title}"?${leaves}${ends}`;
  // A script must confirm a deletion, and an end that leaves messages unsent.
  const strict = isDeletion || queue.length > 0;
  if (!(await confirmed(question, { yes, json, strict }))) {
    say(`holdfast: the session was not ${isDeletion ? "deleted" : "ended"}`);
    return exitCodes.needsDecision;
  }
  const reply = await withProgressNotes("ending the session", client.call(route, { params }), json);
  await tellEnd(client, reply, json, reply.session.deleted === true ? "deleted" : "ended");
  return exitCodes.ok;
}

/** The queue is read again after the end, because a message may have been queued meanwhile. */
async function tellEnd(
  client: Client,
  reply: RouteReply<"endSession">,
  json: boolean,
  what: string,
): Promise<void> {
  const { id, title, deleted } = reply.session;
  const { queue } = await client.call("getQueue", { params: { sessionId: id } });
  if (json) return print({ ...reply, neverSent: queue });
  const kept = deleted === true ? `left the list, and can be read as ${id}` : "stays in the list";
  say(
    `holdfast: ${what}: ${title}. It ${kept} until the host removes it (default: 30 days after its end).`,
  );
  if (queue.length > 0) say(`holdfast: ${neverSentWords(queue.length)}: ${hint("show", id)}`);
}
