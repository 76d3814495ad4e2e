/** Shared code of the `session` commands. */

import { type RouteReply, recoveryWords, type SessionView, spliceWords } from "@holdfast/protocol";
import type { HostGiven } from "../../config.ts";
import { exitCodes } from "../../exit.ts";
import { hostFlags } from "../../flags.ts";
import { hint } from "../../hint.ts";
import { connect } from "../../host/connect.ts";
import { findSession } from "../../host/sessions.ts";
import { isGoing, parkedWords, stateWord } from "../../lines/session-words.ts";
import { receiptLines } from "../../lines/story-words.ts";
import { isSomebodyHere, live } from "../../live/live.ts";
import { print, say } from "../../output/print.ts";
import { withProgressNotes } from "../../output/progress-notes.ts";
import { quiet } from "../../output/words.ts";

export const oneSession = { takes: "SESSION", words: { least: 1, most: 1 } } as const;
export const followFlags = {
  "no-follow": { does: "do not follow the session" },
  ...hostFlags,
} as const;

interface ReviveGiven extends HostGiven {
  readonly words: readonly string[];
  readonly json: boolean;
  readonly "no-follow": boolean;
}

type Mode = "revive" | "continue" | "fresh";

/** Messages to show before the live ones when a question is open. */
const TAIL = 6;

/** Revives a session, then follows its current run, if any, to the outcome. */
export async function reviveAndFollow(given: ReviveGiven, mode: Mode): Promise<number> {
  const { json } = given;
  const client = await connect(given);
  const sessionId = await findSession(client, given.words[0] ?? "");
  const { session: before } = await client.call("getSession", { params: { sessionId } });
  const resumed = client.call("resumeSession", { params: { sessionId }, body: { mode } });
  const reply = await withProgressNotes("starting the agent", resumed, json);
  const { session } = reply;
  const run = goingOn(before, session);
  const isFollowed = run !== null && !given["no-follow"];
  if (json) await print(reply);
  // A followed session shows its restart as an event.
  else if (!isFollowed || reply.resume === null) say(quiet(`· ${upWords(reply)}`));
  if (run === null && !json) {
    // The receipt is printed only here: a followed session shows it as an event.
    if (reply.resume?.receipt != null)
      for (const line of receiptLines(reply.resume.receipt)) say(line);
    for (const line of restWords(session, mode)) say(line);
  }
  if (!isFollowed) return exitCodes.ok;
  const known = { client, session: sessionId, json, run };
  if (before.status === "waiting" && run === before.currentRunId) {
    const { wait } = await client.call("getStatus", { params: { sessionId } });
    const isAsking = wait?.kind === "human";
    // The question is older than this command, so the transcript's tail must be shown to print it.
    if (isAsking && isSomebodyHere(json)) return live({ ...known, from: { tail: TAIL } });
    if (isAsking) {
      const words = [sessionId, ...(wait.approvalId === null ? [] : [wait.approvalId])];
      say(`holdfast: the run waits for your answer: ${hint("approve", ...words)}  (or deny)`);
      return exitCodes.needsDecision;
    }
  }
  // Follows from the last seq before the resume: prints what the resume did, without older events.
  return live({ ...known, from: { after: before.lastSeq } });
}

/** The run that was in progress before, or that the resume started. */
function goingOn(before: SessionView, after: SessionView): string | null {
  const isNew = before.currentRunId !== after.currentRunId;
  return isNew || isGoing(before) || isGoing(after) ? after.currentRunId : null;
}

/** For a session without a run: that it is revived, and the next commands. */
function restWords(session: SessionView, mode: Mode): string[] {
  const { id, status } = session;
  const queue = parkedWords(session);
  const more = queue === null ? [] : [`holdfast: ${queue}`];
  if (mode !== "continue" && status.startsWith("interrupted")) {
    const next = hint("session continue", id);
    return [
      `holdfast: the agent is running. Its work was interrupted; to continue: ${next}`,
      ...more,
    ];
  }
  const what = mode === "continue" ? "no work was interrupted" : "the agent is running";
  return [`holdfast: ${what}; to send a message: ${hint("send", id, '"…"')}`, ...more];
}

function upWords({ resume, session }: RouteReply<"resumeSession">): string {
  const { state } = session.runtime;
  if (resume === null)
    return state === "starting" ? "the agent is starting" : "the agent is running";
  const { rung, grade, ms, receipt } = resume;
  return receipt === null ? recoveryWords(rung, grade, ms) : spliceWords(receipt);
}

export async function tellState(reply: RouteReply<"getSession">, json: boolean): Promise<number> {
  const { session } = reply;
  // A paused session that waits for an answer keeps the word of its question.
  const word = session.lifecycle === "paused" ? "paused" : stateWord(session).word;
  if (json) await print(reply);
  else say(`holdfast: ${word}: ${session.title} (${session.id})`);
  return exitCodes.ok;
}
