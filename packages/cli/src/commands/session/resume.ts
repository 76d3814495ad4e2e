/** `session resume` and `session continue`: both revive a session and follow it. */

import type { Client } from "@holdfast/client";
import {
  interruptedButLive,
  type RouteReply,
  recoveryWords,
  type SessionView,
  spliceWords,
} from "@holdfast/protocol";
import { exitCodes, usage } from "../../exit.ts";
import { hint } from "../../hint.ts";
import { sessionCommand } from "../../host-command.ts";
import { interruptedWords, isGoing, parkedWords } from "../../lines/session-words.ts";
import { receiptLines } from "../../lines/story-words.ts";
import { canAsk } from "../../live/confirm.ts";
import { live, TAIL } from "../../live/live.ts";
import { print, say } from "../../output/print.ts";
import { withProgressNotes } from "../../output/progress-notes.ts";
import { quiet } from "../../output/words.ts";

export const followFlags = {
  "no-follow": { does: "do not follow the session" },
} as const;

const modes = ["revive", "continue", "fresh"] as const;
type Mode = (typeof modes)[number];

const resumeSpec = {
  name: "session resume",
  does: "restart the agent, and follow its run if one is open",
  flags: {
    mode: {
      value: "WORD",
      does: "revive (restart the agent; default), continue (also continue interrupted work), or fresh (without its memory)",
    },
    ...followFlags,
  },
} as const;

const continueSpec = {
  name: "session continue",
  does: "continue interrupted work and follow it",
  flags: followFlags,
} as const;

export const resume = sessionCommand(resumeSpec, (client, sessionId, given) =>
  reviveAndFollow(client, sessionId, given, modeOf(given.mode ?? "revive")),
);

export const goOn = sessionCommand(continueSpec, (client, sessionId, given) =>
  reviveAndFollow(client, sessionId, given, "continue"),
);

function modeOf(word: string): Mode {
  const mode = modes.find((one) => one === word);
  if (mode !== undefined) return mode;
  throw usage(`--mode is ${modes.join(", ")}, not "${word}".`);
}

async function reviveAndFollow(
  client: Client,
  sessionId: string,
  { json, "no-follow": isLeft }: { readonly json: boolean; readonly "no-follow": boolean },
  mode: Mode,
): Promise<number> {
  const { session: before } = await client.call("getSession", { params: { sessionId } });
  const resumed = client.call("resumeSession", { params: { sessionId }, body: { mode } });
  const reply = await withProgressNotes("starting the agent", resumed, json);
  const { session } = reply;
  const run = goingOn(before, session);
  const isFollowed = run !== null && !isLeft;
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
    if (isAsking && canAsk(json)) return live({ ...known, from: { tail: TAIL } });
    if (isAsking) {
      const words = [sessionId, ...(wait.approvalId === null ? [] : [wait.approvalId])];
      say(`holdfast: the run waits for your answer: ${hint("approve", ...words)}  (or deny)`);
      return exitCodes.needsDecision;
    }
  }
  // Follows from the last seq before the resume: prints what the resume did, without older events.
  const isRestarted = before.status.startsWith("interrupted");
  return live({ ...known, from: { after: before.lastSeq }, isRestarted });
}

/** The run that was in progress before, or that the resume started. */
function goingOn(before: SessionView, after: SessionView): string | null {
  const isNew = before.currentRunId !== after.currentRunId;
  return isNew || isGoing(before) || isGoing(after) ? after.currentRunId : null;
}

/** For a session without a run: that it is revived, and the next commands. */
function restWords(session: SessionView, mode: Mode): string[] {
  const interrupted = mode === "continue" ? [] : interruptedWords(session);
  if (interrupted.length > 0) {
    const lines = [interruptedButLive, ...interrupted];
    return lines.map((line) => `holdfast: ${line}`);
  }
  const queue = parkedWords(session);
  const left =
    session.word === "dismissed" ? "the work was dismissed" : "no interrupted work is left";
  const what = mode === "continue" ? left : "the agent is running";
  const next = `${what}; to send a message: ${hint("send", session.id, '"…"')}`;
  return [next, ...(queue === null ? [] : [queue])].map((line) => `holdfast: ${line}`);
}

function upWords({ resume, session }: RouteReply<"resumeSession">): string {
  const { state } = session.runtime;
  if (resume === null)
    return state === "starting" ? "the agent is starting" : "the agent is running";
  const { rung, grade, ms, receipt } = resume;
  return receipt === null ? recoveryWords(rung, grade, ms) : spliceWords(receipt);
}
