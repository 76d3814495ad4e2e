/** What the verbs of a session's life share. */

import type { RouteReply } from "@holdfast/protocol";
import { connect, type HostGiven } from "./connect.ts";
import { exitCodes } from "./exit.ts";
import { hostFlags } from "./flags.ts";
import { live } from "./live.ts";
import { patiently } from "./patience.ts";
import { print, say } from "./print.ts";
import { stateWord } from "./session-words.ts";
import { findSession } from "./sessions.ts";
import { duration, quiet } from "./words.ts";

export const oneSession = { takes: "SESSION", words: { least: 1, most: 1 } } as const;
export const followFlags = {
  "no-follow": { does: "do not follow it then" },
  ...hostFlags,
} as const;

interface BringUpGiven extends HostGiven {
  readonly words: readonly string[];
  readonly json: boolean;
  readonly "no-follow": boolean;
}

/** Brings a session up, then follows what comes of it. */
export async function bringUp(
  given: BringUpGiven,
  mode: "revive" | "continue" | "fresh",
): Promise<number> {
  const { json } = given;
  const client = await connect(given);
  const sessionId = await findSession(client, given.words[0] ?? "");
  const { session } = await client.call("getSession", { params: { sessionId } });
  const resumed = client.call("resumeSession", { params: { sessionId }, body: { mode } });
  const reply = await patiently("bringing it up", resumed, json);
  if (json) await print(reply);
  else say(quiet(`· ${upWords(reply.resume)}`));
  if (given["no-follow"]) return exitCodes.ok;
  // From where it stood before: what the resume did is told, and nothing older again.
  return live({ client, session: sessionId, json, from: { after: session.lastSeq } });
}

function upWords(resume: RouteReply<"resumeSession">["resume"]): string {
  return resume === null ? "coming up" : `up after ${duration(resume.ms)} (${resume.rung})`;
}

export async function tellState(reply: RouteReply<"getSession">, json: boolean): Promise<number> {
  const { session } = reply;
  if (json) await print(reply);
  else say(`holdfast: ${stateWord(session).word}: ${session.title} (${session.id})`);
  return exitCodes.ok;
}
